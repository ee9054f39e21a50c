"""What one submission may still take: time, calls that hang, bytes. All its runs count on the same."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from grader.errors import StudentError, StudentTimedOut, WorkerDied
from grader.model.course import Limits

_STRIKES: Final = 2  # a function that timed out this often is not called again
_FRAMES: Final = 4  # all results of a function may come to so many of the largest there may be
_ENDS: Final = 5  # a function that never answered and ended so many workers ends no more


class Allowance:
    """Counts against the limits of one submission, by function.

    The first call that hangs costs the whole limit of a call, every later one, of any function, the short one.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.left_s = limits.submission_s
        self._strikes: dict[str, int] = {}
        self._bytes: dict[str, int] = {}
        self._cap = _FRAMES * limits.frame_mib << 20

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Only time spent waiting for the submission counts: how long we ourselves take is not its fault."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.left_s -= time.monotonic() - began

    @property
    def call_s(self) -> float:
        """For the next call, whichever it is."""
        return self._limits.call_again_s if self._strikes else self._limits.call_s

    def struck(self, owner: str) -> None:
        self._strikes[owner] = self._strikes.get(owner, 0) + 1

    def took(self, owner: str, size: int) -> None:
        self._bytes[owner] = self._bytes.get(owner, 0) + size

    def refusal(self, owner: str) -> StudentError | None:
        """Why this function is not called any more."""
        if self._strikes.get(owner, 0) >= _STRIKES:
            return StudentTimedOut(owner, self._limits.call_s)
        if self._bytes.get(owner, 0) > self._cap:
            return WorkerDied(owner, f"all its results together passed the limit of {self._cap >> 20} MiB")
        return StudentTimedOut(owner, self._limits.submission_s) if self.left_s <= 0 else None


class Ends:
    """How often each function ended its worker, within one run."""

    def __init__(self) -> None:
        self._how: dict[str, list[str]] = {}
        self._answered: set[str] = set()

    def answered(self, owner: str) -> None:
        self._answered.add(owner)

    def ended(self, owner: str, how: str) -> None:
        self._how.setdefault(owner, []).append(how)

    def refusal(self, owner: str) -> StudentError | None:
        """Why this function is not called any more: it has never answered, in many fresh workers."""
        how = self._how.get(owner, [])
        return WorkerDied(owner, how[-1]) if len(how) >= _ENDS and owner not in self._answered else None


def add_sizes(allowance: Allowance, owners: Mapping[int, str], sizes: Mapping[int, int]) -> None:
    """Count answers, asked for or sent ahead, for the functions they are of."""
    for number, size in sizes.items():
        if number in owners:
            allowance.took(owners[number], size)
