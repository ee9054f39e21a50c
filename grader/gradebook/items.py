"""What a criterion tells of a class: how hard it was, and whether it parts those who know from those who do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

_FEWEST = 10  # graded submissions; a correlation of fewer says nothing
WEAK = 0.2  # below, a criterion hardly parts the class (Ebel & Frisbie, Essentials of Educational Measurement, 1991)


@dataclass(frozen=True, slots=True)
class Item:
    """One criterion over all graded submissions.

    ``discrimination`` is the correlation of its marks with the marks of all the others (corrected item-total
    correlation, Henrysson, Psychometrika 28, 1963; of a line that is right or wrong, the point-biserial one).
    ``None`` where nothing can be said: too few, or everybody alike.
    """

    id: str
    title: str
    max_points: float
    full: int
    nothing: int
    of: int
    share: float  # of its marks, on average: the higher, the easier
    discrimination: float | None

    @property
    def telling(self) -> str:
        """``all`` or ``none`` of the class hold it, ``weak`` where it hardly parts it, else ``""``."""
        if self.of and self.full == self.of:
            return "all"
        if self.of and self.nothing == self.of:
            return "none"
        return "weak" if self.discrimination is not None and self.discrimination < WEAK else ""


class Items:
    """Takes in one document after the other; holds marks alone."""

    def __init__(self) -> None:
        self._titles: dict[str, tuple[str, float]] = {}
        self._marks: list[Mapping[str, float]] = []

    def add(self, document: Mapping[str, Any]) -> None:
        """Count a graded submission; another counts for nothing."""
        if document["score"] is None:
            return
        for criterion in document["criteria"]:
            self._titles.setdefault(criterion["id"], (criterion["title"], criterion["max_points"]))
        self._marks.append({criterion["id"]: criterion["points"] for criterion in document["criteria"]})

    def items(self) -> list[Item]:
        """In the order of the rubric."""
        return [self._item(name, title, most) for name, (title, most) in self._titles.items()]

    def _item(self, name: str, title: str, most: float) -> Item:
        here = [marks.get(name, 0.0) for marks in self._marks]
        rest = [sum(marks.values()) - points for marks, points in zip(self._marks, here, strict=True)]
        return Item(
            name,
            title,
            most,
            full=sum(points >= most for points in here),
            nothing=sum(points == 0 for points in here),
            of=len(here),
            share=sum(here) / len(here) / most if here and most else 0.0,
            discrimination=correlation(here, rest) if len(here) >= _FEWEST else None,
        )


def correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's, ``None`` where either is constant."""
    count = len(first)
    means = sum(first) / count, sum(second) / count
    apart = [(x - means[0], y - means[1]) for x, y in zip(first, second, strict=True)]
    spread = sum(x * x for x, _ in apart), sum(y * y for _, y in apart)
    if min(spread) < 1e-9:  # rounding alone, of marks to 0.01
        return None
    return sum(x * y for x, y in apart) / sqrt(spread[0] * spread[1])
