"""Enters an assignment's name in ``course.yaml``, leaving everything else in it as its author wrote it."""

from __future__ import annotations

from grader.errors import CourseError, UsageError
from grader.strict_yaml import Position, load

_FILE = "assignments/course.yaml"


def entered(text: str, name: str) -> str:
    """The text of ``course.yaml`` with ``name`` last in its list. Raises ``UsageError`` where no place is seen."""
    loaded = load(text.encode(), _FILE)
    names = list(loaded.data["assignments"])
    last = loaded.position(("assignments", len(names) - 1))
    for changed in (_in_brackets(text, last, name), _on_a_line(text, last, name)):
        if changed is not None and _names(changed) == [*names, name]:
            return changed
    raise UsageError(
        f"cannot see where to enter {name!r} in {_FILE}: add it to the list 'assignments' there, then go on"
    )


def _in_brackets(text: str, last: Position, name: str) -> str | None:
    """``[a, b]`` becomes ``[a, b, name]``."""
    at = _offset(text, last)
    end = text.find("]", at)
    if end < 0:
        return None
    before = text[:end].rstrip()
    separator = " " if before.endswith(",") else ", "
    return f"{before}{separator}{name}{text[len(before) : end]}{text[end:]}"


def _on_a_line(text: str, last: Position, name: str) -> str:
    """``- b`` is followed by ``- name``, as far in."""
    lines = text.splitlines(keepends=True)
    line = lines[last.line - 1]
    if not line.endswith("\n"):
        lines[last.line - 1] = line + "\n"
    lines.insert(last.line, f"{line[: line.index('-')] if '-' in line else ''}- {name}\n")
    return "".join(lines)


def _offset(text: str, position: Position) -> int:
    return sum(len(line) for line in text.splitlines(keepends=True)[: position.line - 1]) + position.column - 1


def _names(text: str) -> object:
    try:
        data = load(text.encode(), _FILE).data
    except CourseError:
        return None
    return data.get("assignments") if isinstance(data, dict) else None
