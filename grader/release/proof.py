"""Proof that a released folder holds nothing of the reference, and that it works where nothing else is."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.leakage import Leak, leaks_among, statements_in
from grader.model.course import Assignment, Course
from grader.release.single import NAME as SINGLE

_PRIVATE = ("solution.py", "checks.py", "faults.py", "recipes.py", "examples.json")
_CODE = "grader/"  # of the one file: this program's own code, which is public


def secrets_in(course: Course, folder: Path) -> list[str]:
    """What of the reference stands in the released ``folder``: file, line and text; empty is the proof.

    Looked for: private files under any name, statements of solutions, functions of hidden checks; also inside the
    one file.
    """
    with tempfile.TemporaryDirectory(prefix="released-") as inside:
        with zipfile.ZipFile(folder / SINGLE) as archive:
            for name in archive.namelist():
                if not name.startswith(_CODE):
                    archive.extract(name, inside)
        places = {folder: "", Path(inside): f"{SINGLE}/"}
        published = {place: statements_in(place) for place in places}
        return sorted({
            told for a in course.assignments if a.reference for told in _secrets(a, a.reference, places, published)
        })  # fmt: skip


def _secrets(
    assignment: Assignment, reference: Path, places: Mapping[Path, str], published: Mapping[Path, list[Leak]]
) -> Iterator[str]:
    private = {path.read_bytes(): path.name for name in _PRIVATE if (path := reference / name).is_file()}
    hidden = _checks(reference / "checks.py")
    solution = (reference / "solution.py").read_text(encoding="utf-8")
    for place, shown in places.items():
        for path in sorted(place.rglob("*")):
            if not path.is_file():
                continue
            name = shown + path.relative_to(place).as_posix()
            if path.read_bytes() in private:
                yield f"{name}: is reference/{assignment.name}/{private[path.read_bytes()]}"
            if path.suffix == ".py":
                yield from (
                    f"{name}: holds the hidden check {hidden[body]}" for body in _checks(path) if body in hidden
                )
        for leak in leaks_among(solution, published[place]):
            yield f"{shown}{leak.file.relative_to(place).as_posix()}:{leak.line}: {leak.statement}"


def _checks(path: Path) -> dict[str, str]:
    """What each ``test_`` function of a file does, as text without names and titles; the function's name by it."""
    try:
        body = ast.parse(path.read_text(encoding="utf-8")).body
    except (OSError, SyntaxError, ValueError):
        return {}
    tests = [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return {ast.dump(ast.Module(test.body[1:], [])): test.name for test in tests if len(test.body) > 1}


def self_test(archive: Path, course: Course) -> str:
    """Unpack the archive into an empty folder and run its one file on the stubs, with nothing else of ours in reach.

    Gives "" where every assignment was checked and none was solved, else what came out.
    """
    with tempfile.TemporaryDirectory(prefix="self-test-") as place:
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(place)  # our own archive, just written
        (folder,) = Path(place).iterdir()
        ran = subprocess.run(
            [sys.executable, "-I", SINGLE, "--lang", "en"],
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    told = [a.name for a in course.assignments if f"{a.title.en}: 0 of " not in ran.stdout]
    if ran.returncode == 1 and not told:
        return ""
    return f"exit code {ran.returncode}; not told as unsolved: {', '.join(told)}\n{ran.stdout}{ran.stderr}"
