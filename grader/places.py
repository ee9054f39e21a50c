"""Places in a student's code as the worker reports them: hostile input, read with care."""

from __future__ import annotations

from typing import Any

from grader.model.submission import Place


def read_place(raw: Any) -> Place | None:
    """A place from ``{"file", "line", "cell"}``, or None where it makes no sense."""
    if not isinstance(raw, dict):
        return None
    file, line, cell = raw.get("file"), raw.get("line"), raw.get("cell")
    if not isinstance(file, str) or type(line) is not int or not 0 < line < 10_000_000:
        return None
    return Place(file[:200], line, cell if type(cell) is int and 0 < cell < 1_000_000 else None)
