"""How tests ended, by what was answered in them: the same answers end the same test alike.

A check sees nothing of a submission but its answers, and draws from the seed alone; so bytes that were judged once
need not be judged again. In a class most right answers are the same to the last bit, and so are many wrong ones.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from grader.errors import CheckFailed
from grader.model.course import Text
from grader.student.log import Answered

_KEPT: Final = 16  # ways to end, of one test: those met last


@dataclass(frozen=True, slots=True)
class Ended:
    """What a test leaves behind that passed, or that its check said no to."""

    log: Sequence[Answered]
    function: str | None  # the one called last
    failed: tuple[Text, str] | None = None  # the check's note and detail


class Recalled:
    """Of one assignment on one seed."""

    def __init__(self) -> None:
        self._by_test: dict[str, OrderedDict[bytes, Ended]] = {}

    def find(self, test: str, answers: bytes | None) -> Ended | None:
        """How a test ended on the answers of this digest, if it met them before."""
        known = self._by_test.get(test)
        if known is None or answers is None or answers not in known:
            return None
        known.move_to_end(answers)
        return known[answers]

    def keep(self, test: str, answers: bytes, ended: Ended) -> None:
        known = self._by_test.setdefault(test, OrderedDict())
        known[answers] = ended
        if len(known) > _KEPT:
            known.popitem(last=False)


class Remembered(Protocol):
    """Whose answers to a whole test can be had before it runs."""

    last_called_: str | None
    log_: list[Answered]

    def answered_(self, test: str) -> bytes | None: ...

    def asked_as_foreseen_(self, test: str, whole: bool) -> bool: ...

    def recall_(self, test: str, log: Sequence[Answered], last_called: str | None) -> None: ...


class Recollection:
    """What one student's answers bring back, test by test."""

    def __init__(self, student: Remembered, recalled: Recalled) -> None:
        self._student = student
        self._recalled = recalled
        self._answers: bytes | None = None

    def passed(self, test: str) -> bool:
        """Whether the test that begins ended before on the very answers it would get; then it counts as run.

        Raises ``CheckFailed`` where its check said no to them.
        """
        self._answers = self._student.answered_(test)
        found = self._recalled.find(test, self._answers)
        if found is None:
            return False
        self._answers = None  # known already
        self._student.recall_(test, found.log, found.function)
        if found.failed is not None:
            raise CheckFailed(*found.failed)
        return True

    def keep(self, test: str, failed: CheckFailed | None = None) -> None:
        """The test ran to its end: remember on what, if it asked nothing but what was foreseen."""
        if self._answers is not None and self._student.asked_as_foreseen_(test, failed is None):
            said = None if failed is None else (failed.note, failed.detail)
            ended = Ended(tuple(self._student.log_), self._student.last_called_, said)
            self._recalled.keep(test, self._answers, ended)
