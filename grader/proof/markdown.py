"""The measured matrix of a whole course as a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.model.course import Course, Text
from grader.proof.facts import Matrix, Row, Sheet

_HEAD = """\
# Known mistakes and what they cost

Each known mistake of an exercise, written into the solution and handed in like a student's file, and the marks it lost
in each criterion. Written by `grader validate --matrix docs/fault-matrix.md`; do not edit.

**Bold**: lost although the mistake does not declare it. **kept**: declared, and not lost.
"""
_AFTER_A_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def as_markdown(course: Course, sheets: Sequence[Sheet]) -> str:
    """A section an assignment, a row a mistake, a column a criterion."""
    titles = {assignment.name: assignment.title for assignment in course.assignments}
    sections = [
        "\n".join(_section(sheet.assignment, titles[sheet.assignment], sheet.matrix))
        for sheet in sheets
        if sheet.matrix is not None
    ]
    return "\n".join([_HEAD, *sections])


def first_sentence(text: str) -> str:
    """What stands for the whole text in a table."""
    return _AFTER_A_SENTENCE.split(text.strip(), maxsplit=1)[0]


def _section(name: str, title: Text, matrix: Matrix) -> Iterator[str]:
    yield f"## {name}: {title.en}"
    yield ""
    for number, (criterion, told) in enumerate(matrix.criteria.items(), start=1):
        yield f"{number}. `{criterion}`: {_escaped(told.en)}"
    yield ""
    numbers = " | ".join(str(number) for number in range(1, len(matrix.criteria) + 1))
    yield f"| mistake | {numbers} | what the code does |"
    yield "|---|" + "--:|" * len(matrix.criteria) + "---|"
    yield from (_row(row, list(matrix.criteria)) for row in matrix.rows)
    yield ""


def _row(row: Row, criteria: Sequence[str]) -> str:
    cells = " | ".join(_cell(row, criterion) for criterion in criteria)
    return f"| `{row.fault}` | {cells} | {_escaped(first_sentence(row.says.en))} |"


def _cell(row: Row, criterion: str) -> str:
    lost = f"{row.lost[criterion]:g}" if criterion in row.lost else ""
    if criterion in row.declared:
        return lost or "**kept**"
    return lost and f"**{lost}**"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
