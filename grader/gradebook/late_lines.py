"""What a late policy made of a document's marks: a line of its own in every report, beside what the checks gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from grader.gradebook.standings import Late, standings_of
from grader.model.report import Standing


def with_late_lines(document: Mapping[str, Any], rows: Iterable[Standing]) -> dict[str, Any]:
    """The document with an entry for all of its students whose lateness is the same."""
    alike: dict[tuple[int, str, Fraction, Fraction | None, str], list[str]] = {}
    for row in rows:
        if row.late_source:
            key = (row.late_days, row.late_source, row.late_penalty, row.score, row.late_note)
            alike.setdefault(key, []).append(row.student_id)
    plain = {key: value for key, value in document.items() if key != "late"}
    if not alike:
        return plain
    return plain | {"late": [_line(*key, students) for key, students in alike.items()]}


def told_late(document: Mapping[str, Any], late: Late) -> dict[str, Any]:
    """The same for a document that stands alone."""
    return with_late_lines(document, standings_of(document, {}, late=late, accounts={}, lang=document["lang"]))


def _line(
    days: int, source: str, penalty: Fraction, counts: Fraction | None, note: str, students: list[str]
) -> dict[str, Any]:
    return {
        "students": students,
        "days": days,
        "source": source,
        "penalty": float(penalty),
        "counts": None if counts is None else float(counts),
        "note": note,
    }
