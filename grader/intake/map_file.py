"""``map.csv`` as a teacher filled it in: whose the hand-ins are that nothing else tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from grader.errors import UsageError
from grader.intake.roster import Student, id_in
from grader.intake.table import read_table


def read_map(path: Path, known: Iterable[str], roster: Sequence[Student]) -> dict[str, list[str]]:
    """Submission to student ids, from a filled-in ``map.csv``; lines without an id say nothing.

    Raises:
        UsageError: with file, line and what to do.
    """
    submissions, ids = _Names(known), _Names(student.student_id for student in roster)
    rows = read_table(path)
    line, header = next(rows, (1, []))
    if not {"submission", "student_id"} <= set(header):
        raise UsageError(f"{path}:{line}: the columns must be called submission and student_id")
    at, to = header.index("submission"), header.index("student_id")
    told: dict[str, list[str]] = {}
    for line, row in rows:
        submission, student = (row[i] if i < len(row) else "" for i in (at, to))
        if not student:
            continue
        found = submissions.meant(submission)
        if found is None:
            raise UsageError(f"{path}:{line}: the drop holds no submission {submission!r}; take the line out")
        whose = ids.meant(student) if roster else id_in(student)
        if whose is None:
            raise UsageError(f"{path}:{line}: {student!r} is not on the roster; mend it here or there")
        told.setdefault(found, []).append(whose)
    return told


class _Names:
    """Names that are to be found again in a sheet that a spreadsheet saved."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._numbers: dict[str, set[str]] = {}
        for name in self._names:
            self._numbers.setdefault(_number(name), set()).add(name)

    def meant(self, cell: str) -> str | None:
        """The name as it was written; without our guard against formulas; as a number that lost its zeros."""
        for name in (cell, cell.removeprefix("'"), id_in(cell)):
            if name in self._names:
                return name
        same = self._numbers.get(_number(id_in(cell)), set()) if cell else set()
        return next(iter(same)) if len(same) == 1 else None


def _number(name: str) -> str:
    return name.lstrip("0") if name.isdecimal() else name
