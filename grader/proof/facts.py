"""What a proof comes to: claims, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.model.course import Text

Set = tuple[str, ...]  # ids of known mistakes that stand in one file


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is tried.

    ``seeds``: of the reference and of right variants; ``orders``: in which the tests are shuffled; ``fault_seeds``: of
    each known mistake; ``pairs``: of known mistakes, sampled. ``quick``: what was made up runs without the wall, and
    no names are looked for.
    """

    seeds: int = 20
    orders: int = 3
    fault_seeds: int = 3
    pairs: int = 60
    quick: bool = False

    @classmethod
    def fast(cls) -> Plan:
        """For whoever is writing an exercise just now."""
        return cls(seeds=2, orders=1, fault_seeds=1, pairs=0, quick=True)


@dataclass(frozen=True, slots=True)
class Proof:
    """One claim about one assignment; it holds where nothing speaks against it.

    ``remarks`` are what an author should look at although the claim holds.
    """

    assignment: str
    claim: Text
    problems: tuple[Text, ...] = ()
    remarks: tuple[Text, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class Row:
    """One known mistake: what it says it costs, what it lost, and what the report named."""

    fault: str
    says: Text
    declared: tuple[str, ...]
    lost: Mapping[str, float]  # marks by criterion, only where some were lost
    named: tuple[Set, ...] | None  # None: not looked for

    @property
    def is_named(self) -> bool:
        """By itself, and nothing else with it."""
        return self.named == ((self.fault,),)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Known mistakes by criteria."""

    criteria: Mapping[str, Text]  # title by id
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Naming:
    """How many pairs of known mistakes in one file were named exactly."""

    tried: int
    named: int
    not_named: Mapping[Set, tuple[Set, ...]]  # what was named instead
    left_out: Mapping[Set, tuple[Set, ...]]  # with what answers every question alike


@dataclass(frozen=True, slots=True)
class Room:
    """Where the tolerances lie, in units of the tolerance: right code stays below 1, a mistake goes above."""

    variant: str
    worst: float  # the largest error of right code, in the test below
    worst_in: str
    fault: str = ""  # "" where no known mistake was seen in a comparison with a tolerance
    nearest: float = 0.0  # the smallest error that cost a known mistake marks
    nearest_in: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything about one assignment."""

    assignment: str
    proofs: tuple[Proof, ...]
    matrix: Matrix | None = None
    pairs: Naming | None = None
    room: Room | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage

    @property
    def holds(self) -> bool:
        return all(proof.holds for proof in self.proofs)
