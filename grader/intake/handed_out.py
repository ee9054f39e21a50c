"""Knows the files that were handed out, by their text alone: which of a student's files are still untouched."""

from __future__ import annotations

from pathlib import Path

from grader.errors import NotGradable
from grader.intake.found import NOTEBOOK, Found, stem_of
from grader.intake.notebook import read_notebook
from grader.intake.text import decode
from grader.model.course import Assignment

_STUB_LIMIT = 200_000  # characters


class HandedOut:
    """The stub of an assignment, as a file and as a notebook."""

    def __init__(self, assignment: Assignment) -> None:
        python = _python_lines(_bytes(assignment.stub))
        notebooks = sorted(assignment.folder.glob(stem_of(assignment.file) + "*.ipynb"))  # one in each language
        self._stubs = [lines for lines in (python, *map(_notebook_lines, map(_bytes, notebooks))) if lines]

    def is_untouched(self, text: str) -> bool:
        """Whether code (see `text_of`) is a stub as it was handed out, apart from blank space."""
        return len(text) <= _STUB_LIMIT and _essence(text) in self._stubs


def stub_text(assignment: Assignment) -> str:
    """The stub as it lies there. Where students work in place it is their own file, in whatever state; or gone."""
    return _bytes(assignment.stub).decode("utf-8", "replace")


def text_of(found: Found) -> str:
    """The code of a file as one text; empty where it cannot be read."""
    try:
        if found.kind == NOTEBOOK:
            return "\n".join(chunk.source for chunk in read_notebook(found.data, found.path, ()).chunks)
        return decode(found.data, found.name).text
    except NotGradable:
        return ""


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _python_lines(data: bytes) -> list[str]:
    return _essence(text_of(Found("stub.py", data)))


def _notebook_lines(data: bytes) -> list[str]:
    return _essence(text_of(Found("stub.ipynb", data)))


def _essence(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]
