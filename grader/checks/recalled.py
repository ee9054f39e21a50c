"""Tests that were passed, by what was answered in them: the same answers pass the same test again.

A check sees nothing of a submission but its answers, and draws from the seed alone; so bytes that were judged once
need not be judged again. In a class most right answers are the same to the last bit.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from grader.student.log import Answered

_KEPT: Final = 16  # ways to pass, of one test: those met last


@dataclass(frozen=True, slots=True)
class Passed:
    """What a passed test leaves behind."""

    log: Sequence[Answered]
    function: str | None  # the one called last


class Recalled:
    """Of one assignment on one seed."""

    def __init__(self) -> None:
        self._by_test: dict[str, OrderedDict[bytes, Passed]] = {}

    def find(self, test: str, answers: bytes | None) -> Passed | None:
        """How a test ended on the answers of this digest, if it passed on them before."""
        known = self._by_test.get(test)
        if known is None or answers is None or answers not in known:
            return None
        known.move_to_end(answers)
        return known[answers]

    def keep(self, test: str, answers: bytes, passed: Passed) -> None:
        known = self._by_test.setdefault(test, OrderedDict())
        known[answers] = passed
        if len(known) > _KEPT:
            known.popitem(last=False)


class Remembered(Protocol):
    """Whose answers to a whole test can be had before it runs."""

    last_called_: str | None
    log_: list[Answered]

    def answered_(self, test: str) -> bytes | None: ...

    def asked_as_foreseen_(self, test: str) -> bool: ...

    def recall_(self, test: str, log: Sequence[Answered], last_called: str | None) -> None: ...


class Recollection:
    """What one student's answers bring back, test by test."""

    def __init__(self, student: Remembered, recalled: Recalled) -> None:
        self._student = student
        self._recalled = recalled
        self._answers: bytes | None = None

    def passed(self, test: str) -> bool:
        """Whether the test that begins was passed on the very answers it would get; then it counts as run."""
        self._answers = self._student.answered_(test)
        found = self._recalled.find(test, self._answers)
        if found is not None:
            self._student.recall_(test, found.log, found.function)
        return found is not None

    def keep(self, test: str) -> None:
        """The test ran and passed: remember on what, if that was all it asked."""
        if self._answers is not None and self._student.asked_as_foreseen_(test):
            passed = Passed(tuple(self._student.log_), self._student.last_called_)
            self._recalled.keep(test, self._answers, passed)
