"""Real git repositories, and a grader whose engine is started once for all tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from grader.cli import main
from grader.commands.ports import real_ports
from grader.engines import Engine

ROOT = Path(__file__).resolve().parents[2]
ATTENTION = "assignments/attention/attention.py"
STUB = (ROOT / ATTENTION).read_text(encoding="utf-8")
SOLUTION = (ROOT / "reference/attention/solution.py").read_text(encoding="utf-8")
UNSCALED = SOLUTION.replace(" / math.sqrt(q.shape[-1])", "")
assert UNSCALED != SOLUTION

_GIT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    **{f"GIT_{who}_DATE": "2026-03-01T12:00:00+0000" for who in ("AUTHOR", "COMMITTER")},
}


@dataclass(frozen=True)
class Git:
    """A repository with a working tree."""

    folder: Path

    def __call__(self, *words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=self.folder, env=_GIT, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    def commit(self, files: dict[str, str | bytes | None]) -> str:
        """Write (None: remove) and commit; the new commit's id."""
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message", "work")
        return self("rev-parse", "HEAD")


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """What a student got: the handed-out files of two assignments, on main."""
    folder = tmp_path / "student-repo"
    folder.mkdir()
    repository = Git(folder)
    repository("init", "--quiet", "--initial-branch=main")
    names = ("attention.py", "checks_public.py", "README.md")
    files: dict[str, Any] = {
        f"assignments/{assignment}/{name}": (ROOT / "assignments" / assignment / name).read_bytes()
        for assignment in ("attention", "causal_mask")
        for name in names
        if (ROOT / "assignments" / assignment / name).is_file()
    }
    files["assignments/causal_mask/causal_mask.py"] = (ROOT / "assignments/causal_mask/causal_mask.py").read_bytes()
    files[".github/workflows/checks.yml"] = "on: pull_request\n"
    repository.commit(files)
    return repository


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """Grades with proven isolation, as a course's own machine does."""
    config = {"course": str(ROOT), "reference": None, "environment": {}, "practice": False, "jobs": None, "lang": "en"}
    with real_ports().open_engine(config) as started:
        yield started


@pytest.fixture
def grader(engine: Engine, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The command line, on the engine that is warm already."""

    def call(*words: object) -> Ran:
        ports = replace(real_ports(), open_engine=lambda config: nullcontext(engine))
        code = main(["--course", str(ROOT), *(str(word) for word in words)], ports)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call
