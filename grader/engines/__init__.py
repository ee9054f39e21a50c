"""Engines map plain jobs to plain results. They know nothing of grading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from grader.model.submission import Job


class Engine(Protocol):
    """Runs ``work`` (a dotted name, imported where it runs) on each job."""

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        """Each job with its result: in the order given, or as they come where several are graded at a time."""

    def close(self) -> None:
        """End every process."""
