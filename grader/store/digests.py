"""What a result depends on, as digests: the bytes handed in, and the conditions under which they were graded.

The rubric (marks, titles, hints, how a share counts) is not among them: marks follow from stored outcomes.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from grader.intake.folder import is_litter
from grader.model.course import Assignment, Course

_WHOLE = 64 << 20  # bytes; of a larger file, which no loader takes, the size and time stand for the contents


def conditions_of(course: Course, assignment: Assignment, run: Mapping[str, object]) -> str:
    """The digest of everything but the submission that decides outcomes. ``run``: versions, seed and the like."""
    required = [(a.name, a.file, [asdict(f) for f in a.functions]) for a in course.assignments]
    facts = {
        "assignment": assignment.name,
        "required": required,  # of others too: what belongs elsewhere is said to belong there
        "criteria": [criterion.id for criterion in assignment.criteria],
        "limits": asdict(assignment.limits),
        "forbidden": [assignment.forbidden.calls, str(assignment.forbidden.costs)],
        "import_errors": assignment.import_errors,
        "files": {path.name: _file_digest(path) for path in _machinery(assignment)},
        "run": dict(run),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _machinery(assignment: Assignment) -> Iterator[Path]:
    yield from (p for p in (assignment.stub, assignment.stub.with_suffix(".ipynb")) if p.is_file())
    if assignment.reference is not None:
        yield from sorted(p for p in assignment.reference.iterdir() if p.is_file() and not is_litter(p.name))


def _file_digest(path: Path) -> str:
    """Of checks what they do: a comment or a blank line more runs nothing again."""
    data = path.read_bytes()
    if path.name == "checks.py":
        with suppress(SyntaxError):  # collecting them will say so
            data = ast.dump(ast.parse(data)).encode()
    return hashlib.sha256(data).hexdigest()


def content_digest(path: Path) -> str:
    """Of a file: its name and bytes. Of a folder: those of all in it but litter; links are told, never followed."""
    seen = hashlib.sha256()
    for name, place in _walk(path, path.name):
        try:
            facts = place.lstat()
            seen.update(f"\0{name}\0{stat.S_IFMT(facts.st_mode)}\0".encode("utf-8", "surrogateescape"))
            if stat.S_ISLNK(facts.st_mode):
                seen.update(os.fsencode(os.readlink(place)))
            elif stat.S_ISREG(facts.st_mode) and facts.st_size > _WHOLE:
                seen.update(f"{facts.st_size}\0{facts.st_mtime_ns}".encode())
            elif stat.S_ISREG(facts.st_mode):
                with place.open("rb") as file:
                    seen.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as wrong:
            seen.update(f"\0{wrong.errno}".encode())
    return seen.hexdigest()


def _walk(path: Path, name: str) -> Iterator[tuple[str, Path]]:
    yield name, path
    if path.is_symlink() or not path.is_dir():
        return
    try:
        inside = sorted(os.listdir(path))
    except OSError:
        return
    for each in inside:
        if not is_litter(each):
            yield from _walk(path / each, f"{name}/{each}")
