"""Which of several explanations to tell: the fewest mistakes that explain everything, then the best fit.

Each piece of evidence comes with the sets of mistakes that explain it. One set of mistakes over all pieces is a
cover. The smallest covers are compared on everything the student's code answered; equal ones are all told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

_KEPT: Final = 48  # covers that are followed up at once
_EQUAL: Final = 2  # equal covers that are all told
_COMPARED: Final = 16  # equal covers that are told apart by how they fit

Ids = frozenset[str]


def best_covers(choices: Sequence[Sequence[Ids]], fit: Callable[[Ids], tuple[int, int]]) -> tuple[Ids, ...]:
    """The covers to tell. ``choices``: for each piece what explains it, none of them empty; ``fit``: more is better."""
    covers: list[Ids] = [frozenset()]
    for groups in sorted(choices, key=len):
        grown = {cover | group for cover in covers for group in groups}
        covers = sorted(grown, key=lambda ids: (len(ids), sorted(ids)))[:_KEPT]
    fewest = [cover for cover in covers if cover and len(cover) == len(covers[0])]
    if len(fewest) < 2 or len(fewest) > _COMPARED:
        return tuple(fewest[:_COMPARED])
    fits = {cover: fit(cover) for cover in fewest}
    return tuple(cover for cover in fewest if fits[cover] == max(fits.values()))


def _certain(inside: set[Ids], covers: Sequence[Ids]) -> set[Ids]:
    """Of many equal explanations only what all of them say, where that says anything."""
    if len(covers) <= _EQUAL:
        return inside
    common = {group for group in inside if all(group <= cover for cover in covers)}
    return common or inside


def told(choices: Sequence[Sequence[Ids]], covers: Sequence[Ids]) -> tuple[Ids, ...]:
    """The groups of mistakes inside these covers; one that is part of another goes with it."""
    inside = {group for groups in choices for group in groups for cover in covers if group <= cover}
    kept = _certain(inside, covers)
    return tuple(group for group in kept if not any(group < other for other in kept))
