"""Which known mistakes answer every question alike, so that no input of the checks tells them apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from grader.diagnosis.faults import Fault
from grader.diagnosis.rehearsal import Rehearsals
from grader.exercise import Exercise
from grader.proof.facts import Set
from grader.student.log import alike


def groups_alike(exercise: Exercise, seed: int) -> list[Set]:
    """Single mistakes in groups of two and more that answer alike."""
    rehearsals = _rehearsals(exercise, seed)
    groups: list[list[Fault]] = []
    for fault in exercise.faults:
        group = next((g for g in groups if _same(exercise, rehearsals, (g[0],), (fault,))), None)
        if group is None:
            groups.append([fault])
        else:
            group.append(fault)
    return [tuple(fault.id for fault in group) for group in groups if len(group) > 1]


def sets_alike(exercise: Exercise, ids: Set, seed: int) -> list[Set]:
    """Every other single mistake, and every pair with one of these in it, that answers as these together do.

    A pair with neither of them would be made of mistakes that answer as these do one by one: `groups_alike` tells.
    """
    rehearsals = _rehearsals(exercise, seed)
    faults = tuple(fault for fault in exercise.faults if fault.id in ids)
    found = (
        tuple(fault.id for fault in others)
        for others in _sets(exercise.faults, ids)
        if others != faults and _same(exercise, rehearsals, faults, others)
    )
    return list(found)


def _rehearsals(exercise: Exercise, seed: int) -> Rehearsals:
    assert exercise.reference is not None, "an exercise with hidden checks has a reference"
    return Rehearsals(exercise.solution, exercise.reference, seed)


def _sets(faults: Sequence[Fault], ids: Set) -> Iterator[tuple[Fault, ...]]:
    yield from ((fault,) for fault in faults)
    yield from (pair for pair in itertools.combinations(faults, 2) if any(fault.id in ids for fault in pair))


def _same(exercise: Exercise, rehearsals: Rehearsals, ours: Sequence[Fault], others: Sequence[Fault]) -> bool:
    """Stops at the first test that is answered otherwise."""
    for test in exercise.hidden:
        a, b = rehearsals.log(ours, test), rehearsals.log(others, test)
        if a is None or b is None or len(a) != len(b) or not all(map(alike, a, b)):
            return False
    return True
