"""Names the known mistakes that compute what a student's code computed.

Evidence is one failed criterion in one function: the calls there whose answers differ from the reference's. A set of
mistakes explains it when it reproduces every one of them, and no other recorded call of that function speaks
against it. Single mistakes first, then pairs. A mark is never changed by any of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from grader.checks.collected import Test
from grader.diagnosis.case import Case, Piece, Spot
from grader.diagnosis.faults import Fault
from grader.diagnosis.parsimony import Ids, best_covers, told
from grader.diagnosis.patterns import pattern_in
from grader.diagnosis.plays import Log
from grader.diagnosis.rehearsal import Rehearsals
from grader.model.outcome import Outcome
from grader.model.report import TestResult
from grader.student.log import Raised, plain_name

_EVIDENCE: Final = frozenset({Outcome.FAILED, Outcome.RAISED})
_TASTED: Final = 4  # calls by which pairs are chosen and put in order
_MOST: Final = 6  # pieces in several functions that two mistakes leave with no single one explaining any
_CLEAR: Final = 3  # explanations of one piece of evidence; with more of them none is known from it


@dataclass(frozen=True, slots=True)
class Named:
    """A set of mistakes, the function it shows in, the criteria it explains, and how many calls it reproduces."""

    faults: tuple[Fault, ...]
    function: str
    criteria: frozenset[str]
    explains: int
    of: int


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
    case = Case({t.id: t for t in tests}, logs, rehearsals)
    pieces = [Piece(*place, spots, case.right(place[1])) for place, spots in _evidence(case, results).items()]
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


def _pattern(case: Case, piece: Piece) -> Named | None:
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


def _explanations(case: Case, faults: Sequence[Fault], pieces: Sequence[Piece]) -> dict[Piece, list[tuple[Fault, ...]]]:
    """Single mistakes that explain a piece of evidence; where none does, pairs: those with a mistake known from
    another piece, then those that could."""
    own: dict[Piece, list[tuple[Fault, ...]]] = {
        piece: [(fault,) for fault in faults if case.explains((fault,), piece) and case.shows(fault, piece)]
        for piece in pieces
    }
    if len(own) > _MOST and len({piece.function for piece in own}) > 1 and not any(own.values()):
        return own
    known = {group[0].id: group[0] for groups in own.values() for group in groups if len(groups) <= _CLEAR}
    with_known = [_in_order(faults, a, b) for a in known.values() for b in faults if a is not b]
    for piece in [piece for piece, groups in own.items() if not groups]:
        own[piece] = [pair for pair in with_known if case.explains(pair, piece)]
        own[piece] = own[piece] or [pair for pair in _pairs(case, faults, piece) if case.explains(pair, piece)]
    return own


def _in_order(faults: Sequence[Fault], a: Fault, b: Fault) -> tuple[Fault, ...]:
    return tuple(fault for fault in faults if fault is a or fault is b)


def _named(
    explained: Mapping[Piece, Sequence[tuple[Fault, ...]]], groups: Sequence[Ids], faults: Mapping[str, Fault]
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


def _pairs(case: Case, faults: Sequence[Fault], piece: Piece) -> Iterator[tuple[Fault, ...]]:
    """Pairs that could explain what no single mistake does, the likeliest first.

    Where one of two mistakes alone changes an answer, the pair gives that one's answer. So at every spot of the
    evidence one of them matches or both have a hand in it, and where the student is right it is both or neither.
    """
    if case.spent():
        return
    wrong, right = _spread(piece.spots), _spread(piece.right)
    could = [
        pair
        for pair in combinations([f for f in faults if case.reaches(f, piece.function)], 2)
        if _could(case, *pair, wrong, right) and all(any(case.touches(f, spot) for spot in wrong) for f in pair)
    ]
    tasted = {f.id: sum(case.matches((f,), spot) for spot in wrong) for pair in could for f in pair}
    for pair in sorted(could, key=lambda pair: -tasted[pair[0].id] - tasted[pair[1].id]):
        if case.spent():  # no pair is looked at any longer
            return
        if _could(case, *pair, piece.spots, piece.right):
            yield pair


def _could(case: Case, a: Fault, b: Fault, wrong: Sequence[Spot], right: Sequence[Spot]) -> bool:
    return all(
        case.matches((a,), s) or case.matches((b,), s) or (case.touches(a, s) and case.touches(b, s)) for s in wrong
    ) and all(case.touches(a, s) == case.touches(b, s) for s in right)


def _spread(spots: Sequence[Spot]) -> Sequence[Spot]:
    """A few of them, from all over; whoever passes on these is held against all."""
    return spots[:: -(-len(spots) // _TASTED)] if spots else spots


def _evidence(case: Case, results: Sequence[TestResult]) -> dict[tuple[str, str], tuple[Spot, ...]]:
    """Differing calls by failed criterion and function; an exception alone is no evidence."""
    found: dict[tuple[str, str], list[Spot]] = {}
    for result in results:
        if result.outcome not in _EVIDENCE:
            continue
        for i, answer in enumerate(case.logs.get(result.id, ())):
            if case.differs.get((result.id, i)):
                found.setdefault((result.criterion, plain_name(answer.function)), []).append((result.id, i))
    return {
        place: tuple(spots)
        for place, spots in found.items()
        if any(not isinstance(case.logs[t][i].value, Raised) for t, i in spots)
    }
