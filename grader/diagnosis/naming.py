"""Names the known mistakes that compute what a student's code computed.

Evidence is one failed criterion in one function: the calls there whose answers differ from the reference's. A set of
mistakes explains it when it reproduces every one of them, and no other recorded call of that function speaks
against it. Single mistakes first, then pairs. A mark is never changed by any of this.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from grader.checks.collected import Test
from grader.diagnosis.faults import Fault
from grader.diagnosis.rehearsal import Log, Rehearsals
from grader.model import Outcome, TestResult
from grader.student.log import Raised, alike

_EVIDENCE: Final = frozenset({Outcome.FAILED, Outcome.RAISED})


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
    budget_s: float,
) -> tuple[Named, ...]:
    """Every set of mistakes that explains a piece of evidence, the most telling first."""
    case = _Case({t.id: t for t in tests}, logs, rehearsals)
    ends = time.monotonic() + budget_s
    open_evidence = list(_evidence(case, results).items())
    found: list[tuple[tuple[str, str], tuple[Fault, ...], int]] = []
    for sets in (_singles(faults), None):
        candidates = sets if sets is not None else _pairs(faults, found)
        left = []
        for place, spots in open_evidence:
            fitting = [s for s in candidates if time.monotonic() < ends and case.explains(s, place[1], spots)]
            found += [(place, s, len(spots)) for s in fitting]
            if not fitting:
                left.append((place, spots))
        open_evidence = left
    return _merged(found)


class _Case:
    """One submission's answers beside those of the reference and of the mistakes."""

    def __init__(self, tests: Mapping[str, Test], logs: Mapping[str, Log], rehearsals: Rehearsals) -> None:
        self._tests, self.logs, self._rehearsals = tests, logs, rehearsals
        self.differs: dict[Spot, bool] = {}
        for test_id, log in logs.items():
            right = self.of((), test_id) or ()
            for i, answer in enumerate(log):
                self.differs[(test_id, i)] = not (i < len(right) and alike(answer, right[i]))

    def of(self, faults: Sequence[Fault], test_id: str) -> Log | None:
        return self._rehearsals.log(faults, self._tests[test_id])

    def explains(self, faults: tuple[Fault, ...], function: str, spots: Sequence[Spot]) -> bool:
        """Reproduces the evidence, and every other answer of this function, right or wrong alike."""
        return all(self._same(faults, spot) for spot in spots) and all(
            self._same(faults, spot)
            for spot, differs in self.differs.items()
            if not differs and _plain_name(self.logs[spot[0]][spot[1]].function) == function
        )

    def _same(self, faults: tuple[Fault, ...], spot: Spot) -> bool:
        log = self.of(faults, spot[0])
        return log is not None and spot[1] < len(log) and alike(self.logs[spot[0]][spot[1]], log[spot[1]])


def _evidence(case: _Case, results: Sequence[TestResult]) -> dict[tuple[str, str], list[Spot]]:
    """Differing calls by failed criterion and function; an exception alone is no evidence."""
    found: dict[tuple[str, str], list[Spot]] = {}
    for result in results:
        if result.outcome not in _EVIDENCE:
            continue
        for i, answer in enumerate(case.logs.get(result.id, ())):
            if case.differs[(result.id, i)]:
                found.setdefault((result.criterion, _plain_name(answer.function)), []).append((result.id, i))
    return {
        place: spots
        for place, spots in found.items()
        if any(not isinstance(case.logs[t][i].value, Raised) for t, i in spots)
    }


def _plain_name(function: str) -> str:
    return function.removesuffix(" (gradients)")


def _singles(faults: Sequence[Fault]) -> list[tuple[Fault, ...]]:
    return [(fault,) for fault in faults]


def _pairs(
    faults: Sequence[Fault], found: Sequence[tuple[tuple[str, str], tuple[Fault, ...], int]]
) -> list[tuple[Fault, ...]]:
    """Pairs of mistakes already seen elsewhere come first, then those with one of them, then all others."""
    seen = {fault.id for _, group, _ in found for fault in group}
    every = [(a, b) for i, a in enumerate(faults) for b in faults[i + 1 :]]
    return sorted(every, key=lambda pair: -sum(fault.id in seen for fault in pair))


def _merged(found: Sequence[tuple[tuple[str, str], tuple[Fault, ...], int]]) -> tuple[Named, ...]:
    """One finding a set of mistakes; sets that explain less than another on the same evidence give way."""
    best: dict[tuple[str, ...], list[tuple[tuple[str, str], tuple[Fault, ...], int]]] = {}
    for item in found:
        best.setdefault(tuple(f.id for f in item[1]), []).append(item)
    weight = {key: sum(count for _, _, count in items) for key, items in best.items()}
    places = {place for place, _, _ in found}
    kept: set[tuple[str, ...]] = set()
    for place in places:
        keys = [key for key, items in best.items() if any(p == place for p, _, _ in items)]
        most = max(weight[key] for key in keys)
        kept |= {key for key in keys if weight[key] == most}
    return tuple(sorted(_named(best, kept, weight), key=lambda named: (-named.explains, [f.id for f in named.faults])))


def _named(
    best: Mapping[tuple[str, ...], list[tuple[tuple[str, str], tuple[Fault, ...], int]]],
    kept: set[tuple[str, ...]],
    weight: Mapping[tuple[str, ...], int],
) -> Iterator[Named]:
    for key in kept:
        items = best[key]
        function = max(items, key=lambda item: item[2])[0][1]
        criteria = frozenset(place[0] for place, _, _ in items)
        yield Named(items[0][1], function, criteria, weight[key], weight[key])
