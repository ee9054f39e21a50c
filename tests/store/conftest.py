"""A small class over a course of one assignment, graded by a desk without torch."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.cli import main
from tests.store.plain_class import ports

ROOT = Path(__file__).resolve().parents[2]
RIGHT = {"values": ["passed", "passed"], "inputs_untouched": ["passed"]}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


class Class:
    """A course, a drop beside it, and the command line over both."""

    def __init__(self, course: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.course, self._capsys = course, capsys
        self.drop, self.out = course.parent / "drop", course.parent / "out"

    def hands_in(self, student: str, takes: float = 0, **outcomes: list[str]) -> None:
        folder = self.drop / student
        folder.mkdir(parents=True, exist_ok=True)
        said = {**RIGHT, **outcomes, "takes": takes}
        (folder / "doubling.py").write_text(f"# {json.dumps(said)}\n", encoding="utf-8")

    def run(self, *arguments: object) -> Ran:
        code = main(["--course", str(self.course), "--lang", "en", *map(str, arguments)], ports())
        told = self._capsys.readouterr()
        return Ran(code, told.out, told.err)

    def batch(self, *more: object, out: Path | None = None) -> Ran:
        return self.run("batch", self.drop, "-a", "doubling", "-o", out or self.out, "--jobs", 1, *more)

    def ran(self) -> list[str]:
        """Whose code ran since this was last asked."""
        log = self.course / "graded.log"
        names = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return sorted(names)

    def table(self, out: Path | None = None) -> dict[str, dict[str, str]]:
        with ((out or self.out) / "grades.csv").open(encoding="utf-8", newline="") as sheet:
            return {row["student_id"]: row for row in csv.DictReader(sheet)}

    def scores(self, out: Path | None = None) -> dict[str, str]:
        return {student: row["score"] for student, row in self.table(out).items()}


@pytest.fixture
def class_(tmp_path: Path, make_course: Callable[[Path], Path], capsys: pytest.CaptureFixture[str],
           monkeypatch: pytest.MonkeyPatch) -> Class:  # fmt: skip
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "course").mkdir()
    made = Class(make_course(tmp_path / "course"), capsys)
    made.hands_in("ana")
    made.hands_in("bo", values=["passed", "failed"])
    made.hands_in("cy", values=["failed", "failed"])
    return made
