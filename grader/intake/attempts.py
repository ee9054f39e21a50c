"""Several hand-ins of one student: which one counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.intake.identity import Owned
from grader.model.submission import Flag


def newest_only(owned: Sequence[Owned]) -> list[Owned]:
    """For each student the newest hand-in, as a whole, with a flag that says so; where the platform chose, its choice.

    A member of a group who handed in alone as well stays with the newer of the two; the others keep the group's.
    """
    theirs: dict[str, list[Owned]] = {}
    for one in owned:
        for name in dict.fromkeys(person.id for person in one.people):
            theirs.setdefault(name, []).append(one)
    best = {name: max(attempts, key=_rank) for name, attempts in theirs.items()}
    kept = []
    for one in owned:
        people = tuple(person for person in one.people if best[person.id] is one)
        others = {other.hand_in.shown: other for person in people for other in theirs[person.id] if other is not one}
        if people:
            kept.append(replace(one, people=people, flags=(*one.flags, *_told(one, list(others.values())))))
    return kept


def _rank(one: Owned) -> tuple[bool, float, str]:
    return (not one.hand_in.set_aside, one.hand_in.when, one.hand_in.shown)


def _told(one: Owned, others: Sequence[Owned]) -> tuple[Flag, ...]:
    if not others:
        return ()
    why = "is the one that counts on the platform" if any(o.hand_in.set_aside for o in others) else "is the newest"
    left = ", ".join(other.hand_in.shown for other in others)
    return (Flag("several_attempts", f"{one.hand_in.shown} {why} and was graded; not graded: {left}"),)
