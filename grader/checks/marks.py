"""The two marks of a check: the rubric line it belongs to, and what must hold before it can speak."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Check = TypeVar("Check", bound=Callable[..., None])


def criterion(name: str) -> Callable[[Check], Check]:
    """The rubric line (its id in ``assignment.yaml``) this check earns marks for."""

    def mark(check: Check) -> Check:
        check.criterion = name  # type: ignore[attr-defined]
        return check

    return mark


def needs(*names: str) -> Callable[[Check], Check]:
    """Criteria whose tests must all have passed; otherwise this check is BLOCKED and leaves the share."""

    def mark(check: Check) -> Check:
        check.needs = names  # type: ignore[attr-defined]
        return check

    return mark
