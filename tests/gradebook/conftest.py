"""The real command line over a desk without torch: drops are made, graded and exported in this process."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from grader.cli import main
from tests.store.conftest import RIGHT, Ran
from tests.store.plain_class import ports

ROOT = Path(__file__).resolve().parents[2]


def work(earned: int = 2) -> str:
    """A hand-in that earns 0.5, 1.5 or 2.5 marks: ``earned`` of two tests pass, and half a mark is given."""
    outcomes = ["passed"] * earned + ["failed"] * (2 - earned)
    return f"# {json.dumps({**RIGHT, 'values': outcomes})}\n"


def packed(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def laid(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return folder


class Office:
    """A course, and what is done with what its students hand in."""

    def __init__(self, folder: Path, course: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.course, self._capsys = folder, course, capsys
        self.out = folder / "out"

    def run(self, *arguments: object) -> Ran:
        code = main(["--course", str(self.course), "--lang", "en", *map(str, arguments)], ports())
        told = self._capsys.readouterr()
        return Ran(code, told.out, told.err)

    def graded(self, drop: Path, *more: object, roster: str = "") -> Ran:
        if roster:
            (self.folder / "roster.csv").write_text(roster, encoding="utf-8")
            more = (*more, "--roster", self.folder / "roster.csv")
        ran = self.run("batch", drop, "-a", "doubling", "-o", self.out, *more)
        assert ran.code in (0, 1), ran.err
        return ran

    def exported(self, platform: str, sheet: bytes | None = None, *more: object) -> Ran:
        """The command with a downloaded sheet; what it wrote is `taken`."""
        if sheet is not None:
            (self.folder / "down.csv").write_bytes(sheet)
            more = ("--template", self.folder / "down.csv", *more)
        ran = self.run("export", self.out, platform, "-o", self.folder / "up.csv", *more)
        if sheet is not None:
            assert (self.folder / "down.csv").read_bytes() == sheet
        return ran

    @property
    def taken(self) -> bytes:
        return (self.folder / "up.csv").read_bytes()


@pytest.fixture
def office(
    tmp_path: Path,
    make_course: Callable[[Path], Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Office:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "course").mkdir()
    return Office(tmp_path, make_course(tmp_path / "course"), capsys)
