"""One submission's answers beside those of the reference and of the known mistakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from torch import Tensor

from grader.checks.collected import Test
from grader.diagnosis.faults import Fault
from grader.diagnosis.measured import Wrong
from grader.diagnosis.plays import Log
from grader.diagnosis.rehearsal import Rehearsals, answers_as
from grader.student.log import Answered, alike, plain_name

# Rehearsals of two mistakes that one submission may want: a count, so that every run says the same. Those of one
# mistake are as many as there are mistakes and tests, and serve the whole class.
_LOOKS: Final = 1000
_FEW: Final = 5  # answers, of which nothing general is said
_SHARE: Final = 4  # one in so many of the answers a mistake changes has to be its own

Spot = tuple[str, int]  # a test and the number of a call in it


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence: the calls of one function that differ, and those that do not."""

    criterion: str
    function: str
    spots: tuple[Spot, ...]
    right: tuple[Spot, ...]


class Case:
    """One submission's answers beside those of the reference and of the mistakes."""

    def __init__(self, tests: Mapping[str, Test], logs: Mapping[str, Log], rehearsals: Rehearsals) -> None:
        self._tests, self.logs, self._rehearsals = tests, logs, rehearsals
        self._looked: set[tuple[tuple[str, ...], str]] = set()
        self._matched: dict[tuple[str, Spot], bool] = {}

    @cached_property
    def differs(self) -> Mapping[Spot, bool]:
        """Whether an answer differs from the reference's, for every recorded call that the reference got, too."""
        return {
            (test, i): not alike(answer, right)
            for test, log in self.logs.items()
            for i, (answer, right) in enumerate(zip(log, self._log((), test) or (), strict=False))
            if answer.function == right.function
        }

    def right(self, function: str) -> tuple[Spot, ...]:
        """The calls of a function that were answered as the reference answers them."""
        return tuple(s for s, off in self.differs.items() if not off and plain_name(self.at(s).function) == function)

    def values(self, spots: Sequence[Spot]) -> tuple[Spot, ...]:
        """Those that gave values, not gradients."""
        return tuple(spot for spot in spots if plain_name(self.at(spot).function) == self.at(spot).function)

    def wrong(self, function: str) -> tuple[Spot, ...]:
        """The calls of a function that were answered in another way."""
        return tuple(s for s, off in self.differs.items() if off and plain_name(self.at(s).function) == function)

    def explains(self, faults: tuple[Fault, ...], piece: Piece) -> bool:
        """Reproduces the evidence, and every right answer of this function alike."""
        spots = (*piece.spots, *piece.right)
        if len(faults) == 1:  # what was rehearsed before for somebody else speaks first
            if not self._rehearsals.reaches(faults[0], piece.function):
                return False
            known = [spot for spot in spots if self._rehearsals.knows(faults, spot[0])]
            if not all(self.matches(faults, spot) for spot in known):
                return False
        return all(self.matches(faults, spot) for spot in spots)

    def only_zeros(self, function: str) -> bool:
        """Whether a function gives nothing but zeros where it is wrong: then it has no mistake, it has no content."""
        values = [self.at(spot).value for spot in self.values(self.wrong(function))]
        return len(values) > _FEW and all(isinstance(v, Tensor | np.ndarray) and not v.any() for v in values)

    def shows(self, fault: Fault, piece: Piece) -> bool:
        """Whether a good part of what a mistake changes in the function of evidence that it explains was answered as
        it does: where much more was answered in yet another way, what they have in common is chance."""
        wrong = self.wrong(piece.function)
        if _SHARE * len(piece.spots) >= len(wrong):  # it cannot have changed more; what is right, it leaves alone
            return True
        touched = [spot for spot in wrong if self.touches(fault, spot)]
        return _SHARE * sum(self.matches((fault,), spot) for spot in touched) >= len(touched)

    def fit(self, faults: tuple[Fault, ...]) -> tuple[int, int]:
        """How many of all answers code with these mistakes gives; where they cannot stand in one file, how many each
        of them gives alone, less those it would change otherwise."""
        logs = {test: self._rehearsals.log(faults, self._tests[test]) for test in self.logs}
        if len(faults) > 1 and all(log is None for log in logs.values()):
            return 0, sum(self._given_by((fault,)) - self._missed(fault) for fault in faults)
        return self._given_by(faults), 0

    def _missed(self, fault: Fault) -> int:
        """How many answers a mistake would change that were given in another way."""
        return sum(self.touches(fault, spot) and not self.matches((fault,), spot) for spot in self.differs)

    def _given_by(self, faults: tuple[Fault, ...]) -> int:
        logs = {test: self._rehearsals.log(faults, self._tests[test]) or () for test in self.logs}
        return sum(i < len(logs[test]) and alike(self.at((test, i)), logs[test][i]) for test, i in self.differs)

    def matches(self, faults: tuple[Fault, ...], spot: Spot) -> bool:
        """Whether code with these mistakes answers as the student did."""
        if len(faults) > 1:
            return self._same(faults, self.at(spot), spot)
        key = (faults[0].id, spot)
        if key not in self._matched:
            reaches = self._rehearsals.reaches(faults[0], self.at(spot).function)
            self._matched[key] = self._same(faults if reaches else (), self.at(spot), spot)
        return self._matched[key]

    def reaches(self, fault: Fault, function: str) -> bool:
        """Whether a mistake can show in a function at all."""
        return self._rehearsals.reaches(fault, function)

    def touches(self, fault: Fault, spot: Spot) -> bool:
        """Whether a mistake changes what the reference answers there."""
        return self._rehearsals.changed(fault, self._tests[spot[0]], spot[1])

    def beside(self, spot: Spot) -> Wrong | None:
        """An answer beside the reference's."""
        log = self._log((), spot[0])
        return None if log is None or spot[1] >= len(log) else Wrong(self.at(spot), log[spot[1]])

    def spent(self) -> bool:
        """Whether as many pairs were looked at as may be: every other explains nothing."""
        return len(self._looked) > _LOOKS

    def at(self, spot: Spot) -> Answered:
        return self.logs[spot[0]][spot[1]]

    def _same(self, faults: tuple[Fault, ...], answer: Answered, spot: Spot) -> bool:
        log = self._log(faults, spot[0])
        return log is not None and spot[1] < len(log) and answers_as(faults, answer, log[spot[1]])

    def _log(self, faults: tuple[Fault, ...], test: str) -> Log | None:
        if len(faults) > 1:
            self._looked.add((tuple(fault.id for fault in faults), test))
            if self.spent():
                return None
        return self._rehearsals.log(faults, self._tests[test])
