"""Canvas: the exported gradebook. Only the student columns and the assignment's own go back."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from grader.errors import UsageError
from grader.gradebook.sheets.fill import Layout, column, fill, the_one
from grader.gradebook.sheets.filled import Filled, Wanted
from grader.gradebook.sheets.matching import Key, by_login, by_student, by_submission
from grader.gradebook.sheets.numbers import number
from grader.gradebook.sheets.table import Table
from grader.model.report import Standing

NAME = "canvas"
HOW = "in Canvas: Grades, Export, Export Entire Gradebook"
_TITLE = re.compile(r"(?P<title>.*\S)\s*\(\d+\)", re.DOTALL)  # a title may go over several lines
_READ_ONLY = "(read only)"
_KEPT = {"ex": "excused there", "n/a": "not assigned to this student"}


def filled(table: Table, standings: Sequence[Standing], wanted: Wanted) -> Filled:
    """The sheet for Grades, Import.

    Raises:
        UsageError: it is no Canvas gradebook, holds no such assignment, or has another maximum.
    """
    ids, section = column(table, "ID"), column(table, "Section")
    if ids is None or section is None:
        raise UsageError(f"{table.name} has no columns ID and Section; download it {HOW}")
    points = _points(table, ids, section)
    found = {
        at: title["title"]
        for at, head in enumerate(table.header)
        if at > section and (title := _TITLE.fullmatch(head)) and not _read_only(table, at, points)
    }
    grade = the_one(found, wanted, table, "assignment")
    most = None if points is None else number(table.value(points, grade))
    layout = Layout(
        rows=range(1 if points is None else points + 1, len(table.rows)),
        keys=(
            Key(ids, _by_id),
            Key(column(table, "SIS User ID"), by_student),
            Key(column(table, "SIS Login ID"), by_login),
        ),
        names=(column(table, "Student", "FirstName"), column(table, "LastName")),
        grade=grade,
        maximum=lambda _row: most,
        closed=lambda row: _KEPT.get(table.value(row, grade).casefold(), ""),
        keep=[*range(section + 1), grade],
        numbers=range(section + 1, len(table.header)),
    )
    return fill(table, standings, layout, wanted)


def _by_id(standing: Standing) -> tuple[str, ...]:
    """The user's number of an archive; a roster may well call students by it, too."""
    return (*by_submission(NAME)(standing), standing.student_id)


def _points(table: Table, ids: int, section: int) -> int | None:
    """The row of maxima, in whatever language: set in by spaces, or, where a program trimmed them, above all students
    and with numbers."""
    rows = range(1, len(table.rows))
    set_in = next((row for row in rows if re.match(r"\s{2,}\S", table.rows[row][0].value)), None)
    if set_in is not None:
        return set_in
    above = itertools.takewhile(lambda row: not table.value(row, ids) + table.value(row, section), rows)
    grades = range(section + 1, len(table.header))
    return next((row for row in above if any(number(table.value(row, at)) is not None for at in grades)), None)


def _read_only(table: Table, at: int, points: int | None) -> bool:
    return _READ_ONLY in table.header[at] or (points is not None and table.value(points, at) == _READ_ONLY)
