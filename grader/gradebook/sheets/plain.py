"""Sheets of our own: nbgrader's columns, a plain CSV, and one that Excel opens right."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.errors import UsageError
from grader.gradebook.guard import guarded, guarded_text
from grader.gradebook.long import table
from grader.gradebook.sheets.fill import Layout, column, fill
from grader.gradebook.sheets.filled import Filled, Wanted
from grader.gradebook.sheets.matching import Key, by_email, by_student
from grader.gradebook.sheets.numbers import number
from grader.gradebook.sheets.table import Table
from grader.gradebook.standings import order
from grader.gradebook.wide import counted, shown
from grader.model.report import Standing

NBGRADER = ("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
            "late_submission_penalty", "score", "max_score")  # fmt: skip
PLAIN = ("student_id", "name", "email", "score", "max_score", "late_penalty", "status", "submission", "comment")
# What Excel would turn into a number, a date or a fraction.
_TURNED = re.compile(
    r"[\d.,/:\-eE ]*\d[\d.,/:\-eE ]*|\d+-?[A-Za-z]{3}[a-z]*-?\d*|[A-Za-z]{3}[a-z]*-\d+|(?i:true|false)"
)


def nbgrader(standings: Sequence[Standing], wanted: Wanted) -> Filled:
    """The columns of ``nbgrader export``, a row a student; blank where no mark counts."""
    rows = [_nbgrader(standing, wanted) for standing in sorted(standings, key=order)]
    return Filled(table(NBGRADER, rows).encode(), notes=_left(standings))


def nbgrader_filled(table: Table, standings: Sequence[Standing], wanted: Wanted) -> Filled:
    """A sheet that ``nbgrader export`` wrote, with our scores in the rows of this assignment.

    Raises:
        UsageError: it is no such sheet, or holds other assignments alone.
    """
    grade, of = _score(table, wanted), column(table, "assignment")
    rows = [row for row in range(1, len(table.rows)) if of is None or _is(table.value(row, of), wanted)]
    there = sorted({table.value(row, of) for row in range(1, len(table.rows))})
    if not rows and len(there) > 1:
        raise UsageError(
            f"{table.name} has no row of {wanted.assignment}, but of {', '.join(there)}; keep the rows of one"
        )
    layout = Layout(
        rows=rows or range(1, len(table.rows)),
        keys=(Key(column(table, "student_id"), by_student), Key(column(table, "email"), by_email)),
        names=(column(table, "first_name"), column(table, "last_name")),
        grade=grade,
        maximum=lambda row: number(table.value(row, column(table, "max_score"))),
    )
    return fill(table, standings, layout, wanted)


def plain(standings: Sequence[Standing], wanted: Wanted) -> Filled:
    """One row a student; UTF-8."""
    return Filled(table(PLAIN, map(_plain, sorted(standings, key=order))).encode(), notes=_left(standings))


def excel(standings: Sequence[Standing], wanted: Wanted) -> Filled:
    """The same with a byte order mark, and ids and names as text: 0042 keeps its zeros."""
    rows = [
        [
            _as_text(cell) if name in ("student_id", "name", "submission") else cell
            for name, cell in zip(PLAIN, row, strict=True)
        ]
        for row in map(_plain, sorted(standings, key=order))
    ]
    return Filled(table(PLAIN, rows).encode("utf-8-sig"), notes=_left(standings))


def _as_text(cell: str) -> str:
    """Excel's own way to say that digits are text; anything but digits and signs between them never gets here."""
    return f'="{cell}"' if _TURNED.fullmatch(cell) and '"' not in cell else cell


def _plain(standing: Standing) -> list[str]:
    score = counted(standing)
    return [
        guarded(standing.student_id),
        guarded(standing.name),
        guarded(standing.email),
        shown(score),
        shown(standing.max_score),
        shown(standing.late_penalty) if score is not None else "",
        str(standing.status),
        guarded(standing.submission),
        guarded_text(standing.comment),
    ]


def _nbgrader(standing: Standing, wanted: Wanted) -> list[str]:
    score = counted(standing)
    first, _, last = standing.name.rpartition(" ")
    raw = None if score is None else score + standing.late_penalty
    late = None if score is None else standing.late_penalty
    texts = (standing.student_id, last if first else "", first or last, standing.email)
    return [guarded(wanted.assignment), "", "", *map(guarded, texts), shown(raw), shown(late), shown(score),
            shown(standing.max_score)]  # fmt: skip


def _score(table: Table, wanted: Wanted) -> int:
    grade = column(table, wanted.column or "score")
    if grade is None or column(table, "student_id") is None:
        raise UsageError(f"{table.name} has no columns student_id and score; write it with nbgrader export")
    return grade


def _is(assignment: str, wanted: Wanted) -> bool:
    return assignment.casefold().replace("-", "_") == wanted.assignment.casefold()


def _left(standings: Sequence[Standing]) -> tuple[str, ...]:
    blank = [f"{s.student_id} ({s.status})" for s in sorted(standings, key=order) if counted(s) is None]
    return (f"{len(blank)} have no mark that counts and stay blank: {', '.join(blank)}",) if blank else ()
