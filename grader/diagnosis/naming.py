"""Names the known mistakes that compute what a student's code computed.

Evidence is one failed criterion in one function: the calls there whose answers differ from the reference's. A set of
mistakes explains it when it reproduces every one of them, and no other recorded call of that function speaks
against it. Single mistakes first, then pairs. A mark is never changed by any of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np
from torch import Tensor

from grader.checks.collected import Test
from grader.diagnosis.faults import Fault
from grader.diagnosis.measured import Wrong
from grader.diagnosis.parsimony import Ids, best_covers, told
from grader.diagnosis.patterns import pattern_in
from grader.diagnosis.rehearsal import Log, Rehearsals
from grader.model import Outcome, TestResult
from grader.student.log import Answered, Raised, alike

_EVIDENCE: Final = frozenset({Outcome.FAILED, Outcome.RAISED})
# Rehearsals of two mistakes that one submission may want: a count, so that every run says the same. Those of one
# mistake are as many as there are mistakes and tests, and serve the whole class.
_LOOKS: Final = 1000
_TASTED: Final = 4  # calls by which pairs are chosen and put in order
_FEW: Final = 5  # answers, of which nothing general is said
_SHARE: Final = 4  # one in so many of the answers a mistake changes has to be its own
_CLEAR: Final = 3  # explanations of one piece of evidence; with more of them none is known from it


@dataclass(frozen=True, slots=True)
class Named:
    """A set of mistakes, the function it shows in, the criteria it explains, and how many calls it reproduces."""

    faults: tuple[Fault, ...]
    function: str
    criteria: frozenset[str]
    explains: int
    of: int


Spot = tuple[str, int]  # a test and the number of a call in it


def diagnose(
    tests: Sequence[Test],
    results: Sequence[TestResult],
    logs: Mapping[str, Log],
    faults: Sequence[Fault],
    rehearsals: Rehearsals,
) -> tuple[Named, ...]:
    """The fewest mistakes that explain what they can of the evidence, the most telling first."""
    # Each known mistake is proven to lose what it declares: where all of that was earned, it was not made.
    suffered = {result.criterion for result in results if result.outcome is not Outcome.PASSED}
    faults = [fault for fault in faults if not suffered.isdisjoint(fault.costs)]
    case = _Case({t.id: t for t in tests}, logs, rehearsals)
    pieces = [_Piece(*place, spots, case.right(place[1])) for place, spots in _evidence(case, results).items()]
    own = _explanations(case, faults, [piece for piece in pieces if not case.only_zeros(piece.function)])
    every = {_ids(group): group for groups in own.values() for group in groups}
    explained = {
        piece: [group for group in every.values() if group in groups or case.explains(group, piece)]
        for piece, groups in own.items()
        if groups
    }
    by_id = {fault.id: fault for fault in faults}
    choices = [[_ids(group) for group in groups] for groups in explained.values()]
    covers = best_covers(choices, lambda ids: case.fit(tuple(f for f in faults if f.id in ids)))
    known = _named(explained, told(choices, covers), by_id)
    functions = {piece.function for piece in explained}  # a fact about these may be but a sign of what is named
    unknown = [piece for piece in pieces if piece.function not in functions]
    return (*known, *_together(found for piece in unknown if (found := _pattern(case, piece))))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of evidence: the calls of one function that differ, and those that do not."""

    criterion: str
    function: str
    spots: tuple[Spot, ...]
    right: tuple[Spot, ...]


def _pattern(case: _Case, piece: _Piece) -> Named | None:
    """A plain fact about what no known mistake explains. Gradients are no results: none is told of them."""
    calls = [case.beside(spot) for spot in case.values((*piece.spots, *piece.right))]
    everywhere = [case.beside(spot) for spot in case.values(case.wrong(piece.function))]
    if any(call is None for call in (*calls, *everywhere)):
        return None
    both, wrong = ([call for call in some if call is not None] for some in (calls, everywhere))
    count = len(case.values(piece.spots))
    fault = pattern_in(both[:count], both, piece.criterion, wrong) if count else None
    return None if fault is None else Named((fault,), piece.function, frozenset({piece.criterion}), count, count)


def _together(found: Iterable[Named]) -> tuple[Named, ...]:
    """The same fact about one function is told once, whatever criteria it shows in."""
    facts: dict[tuple[Ids, str], Named] = {}
    for each in found:
        key = (_ids(each.faults), each.function)
        before = facts.get(key)
        facts[key] = each if before is None else Named(
            before.faults, before.function, before.criteria | each.criteria,
            before.explains + each.explains, before.of + each.of,
        )  # fmt: skip
    return tuple(facts.values())


def _ids(group: Iterable[Fault]) -> Ids:
    return frozenset(fault.id for fault in group)


def _explanations(
    case: _Case, faults: Sequence[Fault], pieces: Sequence[_Piece]
) -> dict[_Piece, list[tuple[Fault, ...]]]:
    """Single mistakes that explain a piece of evidence; where none does, pairs: those with a mistake known from
    another piece, then those that could."""
    own: dict[_Piece, list[tuple[Fault, ...]]] = {
        piece: [(fault,) for fault in faults if case.explains((fault,), piece) and case.shows(fault, piece.function)]
        for piece in pieces
    }
    known = {group[0].id: group[0] for groups in own.values() for group in groups if len(groups) <= _CLEAR}
    with_known = [_in_order(faults, a, b) for a in known.values() for b in faults if a is not b]
    for piece in [piece for piece, groups in own.items() if not groups]:
        own[piece] = [pair for pair in with_known if case.explains(pair, piece)]
        own[piece] = own[piece] or [pair for pair in _pairs(case, faults, piece) if case.explains(pair, piece)]
    return own


def _in_order(faults: Sequence[Fault], a: Fault, b: Fault) -> tuple[Fault, ...]:
    return tuple(fault for fault in faults if fault is a or fault is b)


def _named(
    explained: Mapping[_Piece, Sequence[tuple[Fault, ...]]], groups: Sequence[Ids], faults: Mapping[str, Fault]
) -> tuple[Named, ...]:
    """Each group with the pieces that it, or part of it, explains."""
    found = []
    for ids in groups:
        pieces = [piece for piece, fitting in explained.items() if any(_ids(group) <= ids for group in fitting)]
        calls = sum(len(piece.spots) for piece in pieces)
        function = max(pieces, key=lambda piece: len(piece.spots)).function
        members = tuple(fault for name, fault in faults.items() if name in ids)
        found.append(Named(members, function, frozenset(piece.criterion for piece in pieces), calls, calls))
    return tuple(sorted(found, key=lambda named: (-named.explains, [fault.id for fault in named.faults])))


class _Case:
    """One submission's answers beside those of the reference and of the mistakes."""

    def __init__(self, tests: Mapping[str, Test], logs: Mapping[str, Log], rehearsals: Rehearsals) -> None:
        self._tests, self.logs, self._rehearsals = tests, logs, rehearsals
        self._looked: set[tuple[tuple[str, ...], str]] = set()
        self._matched: dict[tuple[str, Spot], bool] = {}
        self._touched: dict[tuple[str, Spot], bool] = {}

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
        return tuple(s for s, off in self.differs.items() if not off and _plain_name(self._at(s).function) == function)

    def values(self, spots: Sequence[Spot]) -> tuple[Spot, ...]:
        """Those that gave values, not gradients."""
        return tuple(spot for spot in spots if _plain_name(self._at(spot).function) == self._at(spot).function)

    def wrong(self, function: str) -> tuple[Spot, ...]:
        """The calls of a function that were answered in another way."""
        return tuple(s for s, off in self.differs.items() if off and _plain_name(self._at(s).function) == function)

    def explains(self, faults: tuple[Fault, ...], piece: _Piece) -> bool:
        """Reproduces the evidence, and every right answer of this function alike."""
        spots = (*piece.spots, *piece.right)
        if len(faults) == 1:  # what was rehearsed before for somebody else speaks first
            known = [spot for spot in spots if self._rehearsals.knows(faults, spot[0])]
            if not all(self.matches(faults, spot) for spot in known):
                return False
        return all(self.matches(faults, spot) for spot in spots)

    def only_zeros(self, function: str) -> bool:
        """Whether a function gives nothing but zeros where it is wrong: then it has no mistake, it has no content."""
        values = [self._at(spot).value for spot in self.values(self.wrong(function))]
        return len(values) > _FEW and all(isinstance(v, Tensor | np.ndarray) and not v.any() for v in values)

    def shows(self, fault: Fault, function: str) -> bool:
        """Whether a good part of what a mistake changes in this function was answered as it does: where much more was
        answered in yet another way, what they have in common is chance."""
        touched = [spot for spot in (*self.wrong(function), *self.right(function)) if self.touches(fault, spot)]
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
        return sum(i < len(logs[test]) and alike(self._at((test, i)), logs[test][i]) for test, i in self.differs)

    def matches(self, faults: tuple[Fault, ...], spot: Spot) -> bool:
        """Whether code with these mistakes answers as the student did."""
        if len(faults) > 1:
            return self._same(faults, self._at(spot), spot)
        key = (faults[0].id, spot)
        if key not in self._matched:
            self._matched[key] = self._same(faults, self._at(spot), spot)
        return self._matched[key]

    def touches(self, fault: Fault, spot: Spot) -> bool:
        """Whether a mistake changes what the reference answers there."""
        key = (fault.id, spot)
        if key not in self._touched:
            log = self._log((), spot[0])
            self._touched[key] = log is None or spot[1] >= len(log) or not self._same((fault,), log[spot[1]], spot)
        return self._touched[key]

    def beside(self, spot: Spot) -> Wrong | None:
        """An answer beside the reference's."""
        log = self._log((), spot[0])
        return None if log is None or spot[1] >= len(log) else Wrong(self._at(spot), log[spot[1]])

    def spent(self) -> bool:
        """Whether as many pairs were looked at as may be: every other explains nothing."""
        return len(self._looked) > _LOOKS

    def _at(self, spot: Spot) -> Answered:
        return self.logs[spot[0]][spot[1]]

    def _same(self, faults: tuple[Fault, ...], answer: Answered, spot: Spot) -> bool:
        log = self._log(faults, spot[0])
        near = min((fault.near for fault in faults), default=0.0)
        return (
            log is not None
            and spot[1] < len(log)
            and (alike(answer, log[spot[1]]) or (near > 0 and alike(answer, log[spot[1]], rtol=near)))
        )

    def _log(self, faults: tuple[Fault, ...], test: str) -> Log | None:
        if len(faults) > 1:
            self._looked.add((tuple(fault.id for fault in faults), test))
            if self.spent():
                return None
        return self._rehearsals.log(faults, self._tests[test])


def _pairs(case: _Case, faults: Sequence[Fault], piece: _Piece) -> Iterator[tuple[Fault, ...]]:
    """Pairs that could explain what no single mistake does, the likeliest first.

    Where one of two mistakes alone changes an answer, the pair gives that one's answer. So at every spot of the
    evidence one of them matches or both have a hand in it, and where the student is right it is both or neither.
    """
    if case.spent():
        return
    wrong, right = _spread(piece.spots), _spread(piece.right)
    tasted = {f.id: sum(case.matches((f,), spot) for spot in wrong) for f in faults}
    could = [
        pair
        for pair in combinations([f for f in faults if any(case.touches(f, spot) for spot in wrong)], 2)
        if _could(case, *pair, wrong, right)
    ]
    for pair in sorted(could, key=lambda pair: -tasted[pair[0].id] - tasted[pair[1].id]):
        if case.spent():  # no pair is looked at any longer
            return
        if _could(case, *pair, piece.spots, piece.right):
            yield pair


def _could(case: _Case, a: Fault, b: Fault, wrong: Sequence[Spot], right: Sequence[Spot]) -> bool:
    return all(
        case.matches((a,), s) or case.matches((b,), s) or (case.touches(a, s) and case.touches(b, s)) for s in wrong
    ) and all(case.touches(a, s) == case.touches(b, s) for s in right)


def _spread(spots: Sequence[Spot]) -> Sequence[Spot]:
    """A few of them, from all over; whoever passes on these is held against all."""
    return spots[:: -(-len(spots) // _TASTED)] if spots else spots


def _evidence(case: _Case, results: Sequence[TestResult]) -> dict[tuple[str, str], tuple[Spot, ...]]:
    """Differing calls by failed criterion and function; an exception alone is no evidence."""
    found: dict[tuple[str, str], list[Spot]] = {}
    for result in results:
        if result.outcome not in _EVIDENCE:
            continue
        for i, answer in enumerate(case.logs.get(result.id, ())):
            if case.differs.get((result.id, i)):
                found.setdefault((result.criterion, _plain_name(answer.function)), []).append((result.id, i))
    return {
        place: tuple(spots)
        for place, spots in found.items()
        if any(not isinstance(case.logs[t][i].value, Raised) for t, i in spots)
    }


def _plain_name(function: str) -> str:
    return function.removesuffix(" (gradients)")
