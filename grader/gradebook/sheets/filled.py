"""What an export is asked for, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from grader.errors import UsageError
from grader.gradebook.sheets.table import Table
from grader.reports.words import marks
from grader.scoring import rounded


@dataclass(frozen=True, slots=True)
class Wanted:
    """The assignment's own names, and what a person says about the sheet."""

    assignment: str
    titles: tuple[str, ...] = ()
    column: str = ""  # "": found by the assignment's name or title
    scale: bool = False  # whether marks may be turned into those of a sheet with another maximum


@dataclass(frozen=True, slots=True)
class Change:
    """A cell that gets another mark."""

    line: int
    who: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Filled:
    """The sheet to import, what changed in it, and what a person should know."""

    data: bytes
    changes: tuple[Change, ...] = ()
    unchanged: int = 0
    comments: int = 0
    notes: tuple[str, ...] = ()
    column: str = ""  # the header of what was filled, in a sheet of somebody else's
    unsettled: int = 0  # marks that found no place, and rows that a person has to look at


def scaled(score: Fraction, ours: Fraction, theirs: Fraction | None, wanted: Wanted, table: Table) -> Fraction:
    """The marks as the sheet counts them.

    Raises:
        UsageError: the sheet has another maximum, and nobody said that marks may be scaled to it.
    """
    if theirs is None or theirs == ours:
        return score
    if not theirs:
        raise UsageError(
            f"{table.name}: its maximum is 0, ours is {marks(float(ours))}; set it to {marks(float(ours))} on the "
            "platform and download the sheet again"
        )
    if not wanted.scale:
        factor = marks(float(theirs / ours)) if ours else "?"
        raise UsageError(
            f"{table.name}: its maximum is {marks(float(theirs))}, ours is {marks(float(ours))}; set it to "
            f"{marks(float(ours))} on the platform and download the sheet again, or say --scale to multiply by {factor}"
        )
    return rounded(score * theirs / ours) if ours else Fraction(0)
