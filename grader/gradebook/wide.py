"""``grades.csv``: one row a student, the same numbers as every report; and the same sheet read again."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from grader.errors import UsageError
from grader.gradebook.guard import guarded, unguarded
from grader.gradebook.standings import order
from grader.model.outcome import Status
from grader.model.report import Standing
from grader.reports.words import marks

COLUMNS = ("submission", "student_id", "name", "email", "status", "score", "max_score", "late_penalty", "flags")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")


def grades_csv(standings: Iterable[Standing], criteria: Sequence[str]) -> str:
    """The sheet (RFC 4180), sorted by student, then submission. What may not be exported is blank, never zero."""
    sheet = io.StringIO()
    rows = (_row(standing, criteria) for standing in sorted(standings, key=order))
    csv.writer(sheet, lineterminator="\r\n").writerows([(*COLUMNS, *criteria), *rows])
    return sheet.getvalue()


def counted(standing: Standing) -> Fraction | None:
    """The marks that a gradebook may take."""
    counts = standing.status is Status.GRADED and not standing.practice
    return standing.score if counts else None


def shown(value: Fraction | None) -> str:
    """Marks as every format writes them; blank for none."""
    return "" if value is None else marks(float(value))


def _row(standing: Standing, criteria: Sequence[str]) -> tuple[str, ...]:
    score = counted(standing)
    parts = standing.criteria if score is not None else {}
    texts = (standing.submission, standing.student_id, standing.name, standing.email)
    return (
        *map(guarded, texts),
        str(standing.status),
        shown(score),
        shown(standing.max_score),
        shown(standing.late_penalty) if score is not None else "",
        guarded(";".join(standing.flags)),
        *(shown(parts.get(name)) for name in criteria),
    )


def read_grades(text: str, name: str) -> list[Standing]:
    """The rows of a ``grades.csv``.

    Raises:
        UsageError: it is no such sheet, or a mark is no number; says where.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""))
    header = reader.fieldnames or []
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise UsageError(f"{name}:1: the column {missing[0]} is missing; it must be as 'grader batch' wrote it")
    criteria = [column for column in header if column not in COLUMNS]
    return [_standing(row, criteria, f"{name}:{reader.line_num}") for row in reader]


def _standing(row: dict[str, str], criteria: Sequence[str], where: str) -> Standing:
    if row["status"] not in set(Status):
        raise UsageError(f"{where}: there is no status {row['status']!r}; there is {', '.join(Status)}")
    score, penalty = _marks(row, "score", where), _marks(row, "late_penalty", where) or Fraction(0)
    flags = tuple(filter(None, unguarded(row["flags"]).split(";")))
    return Standing(
        unguarded(row["submission"]),
        unguarded(row["student_id"]),
        Status(row["status"]),
        _marks(row, "max_score", where) or Fraction(0),
        unguarded(row["name"]),
        unguarded(row["email"]),
        score=score,
        machine=None if score is None else score + penalty,
        late_penalty=penalty,
        criteria={name: value for name in criteria if (value := _marks(row, name, where)) is not None},
        flags=flags,
        practice="practice" in flags,
    )


def _marks(row: dict[str, str], column: str, where: str) -> Fraction | None:
    text = (row[column] or "").strip()
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise UsageError(f"{where}: {column} is {text!r}, which is no number such as 16.5; leave it empty or mend it")
    return Fraction(text)
