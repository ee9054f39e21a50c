"""Writes a new assignment's files and enters it in the course; all of it or nothing."""

from __future__ import annotations

import keyword
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from grader.errors import UsageError
from grader.scaffold.entry import entered
from grader.scaffold.files import files_of

_TAKEN: Final = frozenset({"grader", "numpy", "torch", *sys.stdlib_module_names})  # a student's file may not hide these
_COURSE: Final = "assignments/course.yaml"


def make(root: Path, reference: Path, name: str, languages: Sequence[str], known: Sequence[str]) -> list[Path]:
    """The files of assignment ``name``, in the order to look at them. Raises ``UsageError`` where it cannot be made.

    ``root`` holds ``assignments/``, ``reference`` takes the private folder; ``known`` are the course's assignments.
    """
    _refuse_bad(name)
    public, private = root / "assignments" / name, reference / name
    _refuse_existing(name, known, (public, private))
    course = root / _COURSE
    text = entered(course.read_text(encoding="utf-8-sig"), name)
    written = {
        **{public / file: content for file, content in files_of("assignments", name, languages).items()},
        **{private / file: content for file, content in files_of("reference", name, languages).items()},
    }
    try:
        _write(written)
        course.write_text(text, encoding="utf-8")
    except OSError as wrong:
        for folder in (public, private):
            shutil.rmtree(folder, ignore_errors=True)
        raise UsageError(f"cannot write {wrong.filename}: {wrong.strerror}; nothing was kept") from None
    return [*written, course]


def _write(written: Mapping[Path, str]) -> None:
    for path, content in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def _refuse_bad(name: str) -> None:
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise UsageError(
            f"{name!r} cannot be an assignment's name: it names a Python file too, so use letters, digits and '_', "
            "such as layer_norm"
        )
    if name in _TAKEN:
        raise UsageError(f"{name!r} cannot be an assignment's name: {name}.py would hide a Python module; take another")


def _refuse_existing(name: str, known: Sequence[str], folders: Sequence[Path]) -> None:
    for folder in folders:
        if folder.exists():
            raise UsageError(f"{folder} is there already: take another name, or move it away first")
    if name in known:
        raise UsageError(f"{_COURSE} lists {name!r} already: take another name, or remove it there first")
