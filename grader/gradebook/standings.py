"""From staff documents to one standing a student."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from grader.late import HandedIn, Lateness, Term, lateness
from grader.model.outcome import Status
from grader.model.report import Standing
from grader.scoring import late_penalty, less

People = Mapping[str, tuple[str, str]]
ISOLATED = "isolated"


@dataclass(frozen=True, slots=True)
class Late:
    """The term, and when each submission (or student) handed in."""

    term: Term
    times: Mapping[str, HandedIn] = field(default_factory=dict)

    def handed_in(self, submission: str, student_id: str) -> HandedIn:
        return self.times.get(submission) or self.times.get(student_id) or HandedIn()


def standings_from(
    documents: Iterable[Mapping[str, Any]],
    people: People | None = None,
    *,
    late: Late | None = None,
    accounts: Mapping[str, Mapping[str, str]] | None = None,
    lang: str = "en",
) -> list[Standing]:
    """Every student's row for these documents, by student, then submission.

    ``people`` holds name and email by student id, ``accounts`` what the roster knows besides.
    """
    found = (
        standing
        for document in documents
        for standing in standings_of(document, people or {}, late=late, accounts=accounts or {}, lang=lang)
    )
    return sorted(found, key=order)


def order(standing: Standing) -> tuple[str, str]:
    """The order of every table."""
    return (standing.student_id, standing.submission)


def standings_of(document: Mapping[str, Any], people: People, *, late: Late | None = None,
                 accounts: Mapping[str, Mapping[str, str]], lang: str = "en") -> tuple[Standing, ...]:  # fmt: skip
    """The rows of one document: members of a group get one each, with the same submission."""
    submission = document["submission"]["id"]
    students = dict.fromkeys(document["submission"]["students"]) or [submission]
    practice = document["isolation"]["level"] != ISOLATED and document["score"] is not None
    machine = _exact(document["score"])
    most = _exact(document["max_score"]) or Fraction(0)
    kinds = [flag["kind"] for flag in document["flags"]]
    rows = []
    for student in students:
        penalty, found = _late(late, submission, student, machine, most)
        name, email = people.get(student, ("", ""))
        rows.append(
            Standing(
                submission,
                student,
                Status(document["status"]),
                most,
                name,
                email,
                score=None if machine is None or practice else less(machine, penalty),
                machine=machine,
                late_penalty=penalty,
                late_note="" if found is None else found.note.pick(lang),
                late_days=0 if found is None else found.days,
                late_source="" if found is None else str(found.source),
                criteria={c["id"]: _exact(c["points"]) or Fraction(0) for c in document["criteria"]},
                flags=tuple(dict.fromkeys([*kinds, *(["practice"] if practice else [])])),
                practice=practice,
                accounts=accounts.get(student, {}),
            )
        )
    return tuple(rows)


def _late(
    late: Late | None, submission: str, student: str, machine: Fraction | None, most: Fraction
) -> tuple[Fraction, Lateness | None]:
    if late is None or machine is None:
        return Fraction(0), None
    found = lateness(late.term, student, late.handed_in(submission, student))
    return late_penalty(machine, most, late.term.rule, found.days), found


def _exact(marks: float | None) -> Fraction | None:
    """Marks of a document are written to 0.01."""
    return None if marks is None else Fraction(round(marks * 100), 100)
