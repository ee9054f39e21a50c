"""``grades.csv``: one row a student, the same numbers as every report."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grader.reports.untrusted import one_line
from grader.reports.words import marks

COLUMNS = ("submission", "student_id", "name", "email", "status", "score", "max_score", "late_penalty", "flags")
_CELL = 500  # characters
# What a spreadsheet may take for the start of a formula, also behind blanks, and behind what it may split cells at.
_SPLITS = ";|"
_FORMULA = re.compile(r"(?:^|[;|])[\s'\"]*+[=+\-@＝＋－＠]")


def grades_csv(
    documents: Iterable[Mapping[str, Any]],
    criteria: Sequence[str],
    people: Mapping[str, tuple[str, str]] | None = None,
) -> str:
    """The sheet for these staff documents (RFC 4180), sorted by student, then submission.

    ``people`` holds name and email by student id, where they are known.
    """
    rows = sorted(
        (row for document in documents for row in _rows(document, criteria, people or {})),
        key=lambda row: (row[1], row[0]),
    )
    sheet = io.StringIO()
    csv.writer(sheet, lineterminator="\r\n").writerows([(*COLUMNS, *criteria), *rows])
    return sheet.getvalue()


def _rows(
    document: Mapping[str, Any], criteria: Sequence[str], people: Mapping[str, tuple[str, str]]
) -> list[tuple[str, ...]]:
    submission = document["submission"]
    points = {criterion["id"]: criterion["points"] for criterion in document["criteria"]}
    graded = document["score"] is not None
    flags = ";".join(dict.fromkeys(flag["kind"] for flag in document["flags"]))
    after = (
        document["status"],
        marks(document["score"]) if graded else "",
        marks(document["max_score"]),
        "0" if graded else "",
        guarded(flags),
        *(marks(points[name]) if graded and name in points else "" for name in criteria),
    )
    students = dict.fromkeys(submission["students"]) or [submission["id"]]
    return [
        (guarded(submission["id"]), guarded(student), *map(guarded, people.get(student, ("", ""))), *after)
        for student in students
    ]


def guarded(cell: str) -> str:
    """``cell`` on one line, what hides in it written out, such that no spreadsheet takes it for a formula."""
    cell = one_line(cell, limit=_CELL)
    if not _FORMULA.search(cell):
        return cell
    return "'" + _FORMULA.sub(lambda found: "," + found[0][1:] if found[0][0] in _SPLITS else found[0], cell)
