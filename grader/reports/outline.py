"""A report's document arranged for reading: tests under their criterion, the same trouble said once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.document import is_student_form
from grader.model.outcome import Outcome, Status
from grader.reports.words import OUTCOMES, marks, word

ENTRIES_SHOWN = 30  # remarks, or flags, in a report for people; the JSON holds the rest
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that went wrong in one or more tests of a criterion. All texts are as the document has them."""

    outcome: str
    title: str
    note: str
    where: str
    count: int
    blocked_by: str | None
    tests: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the rubric with the troubles found under it."""

    id: str
    title: str
    points: float | None  # None: public checks carry no marks
    max_points: float | None
    hint: str
    troubles: tuple[Trouble, ...]
    tests: tuple[Mapping[str, Any], ...]

    @property
    def held(self) -> bool:
        """Whether nothing was lost here."""
        if self.points is None or self.max_points is None:
            return not self.troubles
        return self.points >= self.max_points


@dataclass(frozen=True, slots=True)
class Loss:
    """Lines that lost marks for the very same reasons (an unwritten function costs many): told together."""

    lines: tuple[Line, ...]
    troubles: tuple[Trouble, ...]


@dataclass(frozen=True, slots=True)
class Rubric:
    """The losses to read about first, and the lines that held; with the headings that fit them."""

    lost: tuple[Loss, ...]
    held: tuple[Line, ...]
    lost_heading: str
    held_heading: str


def rubric(document: Mapping[str, Any], lang: str) -> Rubric:
    """What a report shows of the rubric: nothing in a student's form that carries no verdict."""
    lines = outline(document, lang)
    if is_student_form(document) and document["status"] != Status.GRADED:
        lines = ()
    with_marks = any(line.points is not None for line in lines)
    lost = _losses([line for line in lines if not line.held], lang)
    begun = any(trouble.outcome != Outcome.NOT_ATTEMPTED for loss in lost for trouble in loss.troubles)
    return Rubric(
        lost=lost,
        held=tuple(line for line in lines if line.held),
        lost_heading=word("lost" if with_marks else "not_passed" if begun else "not_attempted", lang),
        held_heading=word("held" if with_marks else "passed", lang),
    )


def outline(document: Mapping[str, Any], lang: str) -> tuple[Line, ...]:
    """The rubric's lines in order; criteria known from tests alone follow, without marks."""
    known = {criterion["id"]: criterion for criterion in document["criteria"]}
    under: dict[str, list[Mapping[str, Any]]] = {name: [] for name in known}
    for test in document["tests"]:
        under.setdefault(test["criterion"], []).append(test)
    return tuple(_line(name, known.get(name), tests, lang) for name, tests in under.items())


def entries_left(entries: Sequence[Any]) -> int:
    """How many remarks or flags a report for people leaves untold."""
    return max(len(entries) - ENTRIES_SHOWN, 0)


def place(spot: Mapping[str, Any] | None, lang: str) -> str:
    """``file:line``, or file, cell and line; empty where nothing is known."""
    if not spot or "file" not in spot:
        return ""
    return word("in_line" if spot.get("cell") is None else "in_cell", lang, **spot)


def why(trouble: Trouble, lang: str) -> str:
    """What a reader is told of a trouble: its note, else what stands in for one."""
    if trouble.outcome == Outcome.BLOCKED and not trouble.note:
        named = trouble.blocked_by is not None
        return word("waits", lang, criterion=trouble.blocked_by) if named else word("waits_for_some", lang)
    if trouble.note:
        return trouble.note
    ending = OUTCOMES[trouble.outcome].pick(lang)
    return word("unmet", lang, title=trouble.title, ending=ending) if trouble.title else ending


def late_lines(document: Mapping[str, Any], lang: str) -> list[str]:
    """What the late policy says, a line for all whom it treats alike."""
    lines = document.get("late", [])
    return [_late_line(line, document["max_score"], lang, named=len(lines) > 1) for line in lines]


def _late_line(line: Mapping[str, Any], most: float, lang: str, *, named: bool) -> str:
    facts = {"note": line["note"], "penalty": marks(line["penalty"]), "max": marks(most)}
    if not line["penalty"]:
        said = word("late_free", lang, **facts)
    elif line["counts"] is None:
        said = word("late_practice", lang, **facts)
    else:
        said = word("late", lang, **facts, counts=marks(line["counts"]))
    return f"{', '.join(line['students'])}: {said}" if named else said


def reason(document: Mapping[str, Any]) -> str:
    """Why there are no marks, or none to earn; empty where a remark says the same."""
    said: str = document["reason"] or ""
    return "" if any(remark["text"].strip() == said.strip() for remark in document["remarks"]) else said


def _line(name: str, criterion: Mapping[str, Any] | None, tests: list[Mapping[str, Any]], lang: str) -> Line:
    return Line(
        id=name,
        title=criterion["title"] if criterion else tests[0]["title"],
        points=criterion["points"] if criterion else None,
        max_points=criterion["max_points"] if criterion else None,
        hint=criterion["hint"] if criterion else "",
        troubles=_troubles(tests, lang),
        tests=tuple(tests),
    )


def _losses(lines: list[Line], lang: str) -> tuple[Loss, ...]:
    groups: dict[object, list[Line]] = {}
    for line in lines:
        said = tuple((trouble.outcome, trouble.note, trouble.where) for trouble in line.troubles)
        alike = bool(said) and all(trouble.note for trouble in line.troubles)
        groups.setdefault(said if alike else line.id, []).append(line)
    return tuple(
        Loss(tuple(group), _troubles([test for line in group for test in line.tests], lang))
        for group in groups.values()
    )


def _troubles(tests: Sequence[Mapping[str, Any]], lang: str) -> tuple[Trouble, ...]:
    """Tests that did not pass, one entry for each thing said; a note is never repeated."""
    groups: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    for test in tests:
        waits_for_its_own = test["outcome"] == Outcome.BLOCKED and test["blocked_by"] == test["criterion"]
        if test["outcome"] != Outcome.PASSED and not waits_for_its_own:  # the failure itself is told beside it
            groups.setdefault(_sameness(test), []).append(test)
    return tuple(_trouble(group, lang) for group in groups.values())


def _sameness(test: Mapping[str, Any]) -> tuple[object, ...]:
    said = test["note"] or ("" if test["outcome"] == Outcome.BLOCKED else test["title"])
    return (test["outcome"], _NUMBER.sub("#", said), test["blocked_by"])  # other inputs, other numbers, one mistake


def _trouble(tests: list[Mapping[str, Any]], lang: str) -> Trouble:
    first = tests[0]
    places = dict.fromkeys(spot for test in tests if (spot := place(test["place"], lang)))
    return Trouble(
        outcome=first["outcome"],
        title=first["title"],
        note=first["note"],
        where=", ".join(list(places)[:3]),
        count=len(tests),
        blocked_by=first["blocked_by"],
        tests=tuple(tests),
    )
