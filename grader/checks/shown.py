"""What re-enacting a submission's failed tests said, by all its answers: the same answers are told the same.

A class makes the same mistakes in the same words: half of its wrong submissions answer as one before them did.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from grader.model.course import Text
from grader.model.outcome import Outcome
from grader.model.report import TestResult
from grader.model.submission import Place
from grader.shelf import Shelf

_KEPT: Final = 256  # ways to answer: those met last
_JUDGED: Final = frozenset({Outcome.PASSED, Outcome.FAILED, Outcome.BLOCKED})  # nothing raised, nothing ended


@dataclass(frozen=True, slots=True)
class Said:
    """Of one test: the note, and the function it speaks of."""

    note: Text | None
    function: str | None


class Shown:
    """Of one assignment on one seed."""

    def __init__(self, shelf: Shelf | None = None, kind: str = "") -> None:
        """``shelf``: what others said who grade the same class, under this name."""
        self._shelf, self._kind = shelf, kind
        self._by_answers: OrderedDict[bytes, Mapping[str, Said]] = OrderedDict()

    def find(
        self, answers: bytes, results: Sequence[TestResult], place_of: Callable[[str | None], Place | None]
    ) -> tuple[TestResult, ...] | None:
        """The results with the notes of whoever gave these answers before, at this submission's own lines."""
        if not answers or not _all_judged(results):
            return None
        if answers not in self._by_answers and (elsewhere := self._elsewhere(answers)) is not None:
            self._remember(answers, elsewhere)
        said = self._by_answers.get(answers)
        if said is None:
            return None
        self._by_answers.move_to_end(answers)
        return tuple(
            replace(r, note=s.note, function=s.function, place=place_of(s.function)) if (s := said.get(r.id)) else r
            for r in results
        )

    def keep(self, answers: bytes, shown: Sequence[TestResult]) -> None:
        """These notes came of a re-enactment."""
        if answers and _all_judged(shown):
            said = {r.id: Said(r.note, r.function) for r in shown if r.outcome is Outcome.FAILED}
            self._remember(answers, said)
            if self._shelf:
                facts = {test: [s.note and [s.note.en, s.note.zh], s.function] for test, s in said.items()}
                self._shelf.put(self._kind, answers, facts)

    def _remember(self, answers: bytes, said: Mapping[str, Said]) -> None:
        self._by_answers[answers] = said
        if len(self._by_answers) > _KEPT:
            self._by_answers.popitem(last=False)

    def _elsewhere(self, answers: bytes) -> Mapping[str, Said] | None:
        facts = self._shelf.get(self._kind, answers) if self._shelf else None
        return facts and {test: Said(Text(*note) if note else None, name) for test, (note, name) in facts.items()}


def _all_judged(results: Sequence[TestResult]) -> bool:
    """What a check said no to: what was raised has a text of the student's own, at a line of his own."""
    return all(result.outcome in _JUDGED for result in results)
