"""Marks derived from stored outcomes: a changed rubric or text runs no student's code again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grader.model.course import Assignment, Criterion, Text
from grader.model.outcome import Outcome, Status
from grader.model.report import CriterionScore, TestResult
from grader.model.submission import Flag
from grader.scoring import score_rubric, total


@dataclass(frozen=True, slots=True)
class Rubric:
    """What turns outcomes into marks and words."""

    title: Text
    criteria: tuple[Criterion, ...]
    assignment_digest: str
    import_errors: str = "keep"  # "zero": a .py that Python could not import earns nothing

    @property
    def max_score(self) -> Fraction:
        return sum((c.marks for c in self.criteria), Fraction(0))

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.as_json().encode()).hexdigest()

    def as_json(self) -> str:
        return json.dumps(
            {
                "title": _pair(self.title),
                "criteria": [
                    [c.id, str(c.marks), _pair(c.title), [_pair(h) for h in c.hints], c.all_or_nothing, c.when_blocked]
                    for c in self.criteria
                ],
                "assignment_digest": self.assignment_digest,
                "import_errors": self.import_errors,
            },
            ensure_ascii=False,
        )


def rubric_of(assignment: Assignment) -> Rubric:
    return Rubric(assignment.title, assignment.criteria, assignment.digest, assignment.import_errors)


def rubric_from(text: str) -> Rubric:
    """The rubric that was written with `Rubric.as_json`."""
    raw = json.loads(text)
    criteria = tuple(
        Criterion(name, Fraction(marks), Text(*title), tuple(Text(*hint) for hint in hints), all_or_nothing, blocked)
        for name, marks, title, hints, all_or_nothing, blocked in raw["criteria"]
    )
    return Rubric(Text(*raw["title"]), criteria, raw["assignment_digest"], raw["import_errors"])


def _pair(text: Text) -> list[str]:
    return [text.en, text.zh]


def rescored(document: Mapping[str, Any], rubric: Rubric) -> dict[str, Any]:
    """A staff document with the marks and texts of this rubric.

    What a mended mistake would bring is left blank: which criteria it costs stands with the mistakes, not here.
    """
    lang = document["lang"]
    form = {
        **document,
        "title": rubric.title.pick(lang),
        "max_score": float(rubric.max_score),
        "assignment_digest": rubric.assignment_digest,
    }
    if not document["criteria"]:  # nothing ran
        return form
    criteria = score_rubric(rubric.criteria, [_result(test) for test in document["tests"]], lang)
    form["criteria"] = [_criterion(criterion) for criterion in criteria]
    form["diagnosis"] = [{**finding, "score_if_mended": None} for finding in document["diagnosis"]]
    if document["status"] == Status.GRADED:
        zero = rubric.import_errors == "zero" and any(f["kind"] == "does_not_import" for f in document["flags"])
        form["score"] = 0.0 if zero else float(total(criteria, _priced(document["flags"])))
    return form


def _criterion(criterion: CriterionScore) -> dict[str, Any]:
    return {
        "id": criterion.id,
        "title": criterion.title,
        "points": float(criterion.points),
        "max_points": float(round(criterion.max_points, 2)),
        "hint": criterion.hint,
    }


def _result(test: Mapping[str, Any]) -> TestResult:
    return TestResult(
        test["id"],
        test["criterion"],
        Text(test["title"]),
        Outcome(test["outcome"]),
        inherited=bool(test.get("inherited")),
    )


def _priced(flags: Sequence[Mapping[str, Any]]) -> list[Flag]:
    return [Flag(flag["kind"], "", costs=Fraction(str(flag["costs"]))) for flag in flags]
