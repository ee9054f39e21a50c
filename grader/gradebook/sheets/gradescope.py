"""Gradescope: the downloaded grades, read by their header alone."""

from __future__ import annotations

from collections.abc import Sequence

from grader.errors import UsageError
from grader.gradebook.sheets.fill import Layout, column, fill
from grader.gradebook.sheets.filled import Filled, Wanted
from grader.gradebook.sheets.matching import Key, by_email, by_student, by_submission
from grader.gradebook.sheets.numbers import number
from grader.gradebook.sheets.table import Table
from grader.model.report import Standing

HOW = "in Gradescope: the assignment, Review Grades, Download Grades, CSV"


def filled(table: Table, standings: Sequence[Standing], wanted: Wanted) -> Filled:
    """The sheet with its total scores.

    Raises:
        UsageError: it is no such sheet, or has another maximum.
    """
    grade, most = column(table, wanted.column or "Total Score"), column(table, "Max Points")
    sid, email, submission = column(table, "SID"), column(table, "Email"), column(table, "Submission ID")
    if grade is None or (sid is None and email is None and submission is None):
        raise UsageError(f"{table.name} has no columns Total Score and SID, Email or Submission ID; download it {HOW}")
    layout = Layout(
        rows=range(1, len(table.rows)),
        keys=(Key(sid, by_student), Key(email, by_email), Key(submission, by_submission("gradescope"))),
        names=(column(table, "First Name", "Name"), column(table, "Last Name")),
        grade=grade,
        maximum=lambda row: number(table.value(row, most)),
        numbers=(most,),
    )
    return fill(table, standings, layout, wanted)
