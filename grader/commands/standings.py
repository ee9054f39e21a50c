"""How far somebody is in the course, as the latest checks saw it. Kept while watching, written nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.commands.check import passed
from grader.commands.phrases import phrase
from grader.model.course import Assignment, Course
from grader.model.outcome import Outcome, Status


@dataclass(slots=True)
class Standings:
    """The latest document of each assignment; None where there is no file."""

    course: Course
    _latest: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)

    def note(self, assignment: Assignment, document: Mapping[str, Any] | None) -> None:
        self._latest[assignment.name] = document

    def unknown(self) -> list[Assignment]:
        """What was not looked at yet, in the course's order."""
        return [a for a in self.course.assignments if a.name not in self._latest]

    def after(self, assignment: Assignment | None) -> Assignment | None:
        """The next assignment that has a file and does not pass, going round; None where all of them do."""
        every = list(self.course.assignments)
        start = every.index(assignment) + 1 if assignment in every else 0
        return next((a for a in every[start:] + every[:start] if self._is_open(a.name)), None)

    def _is_open(self, name: str) -> bool:
        document = self._latest.get(name)
        return document is not None and not passed(document)

    def line(self, lang: str) -> str:
        """The whole course in a line."""
        return phrase("course", lang, states=" · ".join(self._state(a, lang) for a in self.course.assignments))

    def _state(self, assignment: Assignment, lang: str) -> str:
        name = assignment.name
        if name not in self._latest:
            return phrase("is_unknown", lang, name=name)
        document = self._latest[name]
        if document is None:
            return phrase("is_absent", lang, name=name)
        if document["status"] != Status.GRADED:
            return phrase("is_unreadable", lang, name=name)
        outcomes = [test["outcome"] for test in document["tests"]]
        if passed(document):
            return phrase("is_passed", lang, name=name)
        if document["definitions"] and all(found["state"] == "stub" for found in document["definitions"]):
            return phrase("is_untouched", lang, name=name)
        return phrase("is_partly", lang, name=name, passed=outcomes.count(Outcome.PASSED), all=len(outcomes))
