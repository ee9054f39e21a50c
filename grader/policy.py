"""Turns what a submission uses into flags for staff; a flag costs marks only where the assignment says so."""

from __future__ import annotations

from fractions import Fraction

from grader.loading import Loaded
from grader.model import Assignment, Flag


def policy_flags(assignment: Assignment, loaded: Loaded) -> tuple[Flag, ...]:
    """One ``forbidden_call`` flag for each library call found; the first carries the cost."""
    flags = []
    seen: set[str] = set()
    for name, place in loaded.library_use:
        if name in seen:
            continue
        costs = assignment.forbidden.costs if not seen else Fraction(0)
        seen.add(name)
        flags.append(Flag("forbidden_call", name, place, costs))
    return tuple(flags)
