"""Questions that are sent before a check asks them, so that the worker and the check work at the same time.

What a check asks of right code is known: it asked the reference. Those questions go out some tests before. Where a
check then asks something else (its next question hangs on an answer, or the submission is wrong), that is sent as it
comes, and answers to what was not asked after all are thrown away. What is sent depends on the seed and on verdicts
alone, never on time: the same submission sees the same calls.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from grader.sandbox import Session
from grader.student.questions import Question

Script = Mapping[str, Sequence[Question]]  # by test


class Ahead:
    """What one worker was sent ahead, by test, and has not been asked for yet."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._sent: dict[str, deque[tuple[Question, int]]] = {}
        self._current: deque[tuple[Question, int]] = deque()
        self._astray = False  # the test that is on has asked what was not foreseen
        self._test_of: dict[int, str] = {}
        self.owners: dict[int, str] = {}  # of every question by number: the function it is about
        self._barred: set[str] = set()

    def begin(self, session: Session, tests: Sequence[str], may: Callable[[str], bool]) -> None:
        """The first of these tests is on. Where the one after it has not been sent, all that have not are."""
        if not all(test in self._sent for test in tests[:2]):
            self._send(session, [test for test in tests if test not in self._sent], may)
        self._current, self._astray = self._sent[tests[0]], False

    def _send(self, session: Session, tests: Sequence[str], may: Callable[[str], bool]) -> None:
        """What these tests ask, as far as the functions ``may`` be called."""
        foreseen = {test: list(takewhile(lambda q: may(q.owner), self._foreseen(test))) for test in tests}
        number = session.send(*(q.data for questions in foreseen.values() for q in questions))
        number -= sum(map(len, foreseen.values()))
        for test, questions in foreseen.items():
            self._sent[test] = deque((question, number + i) for i, question in enumerate(questions, start=1))
            self._test_of |= {number + i: test for i in range(1, len(questions) + 1)}
            self.owners |= {number + i: question.owner for i, question in enumerate(questions, start=1)}
            number += len(questions)

    def take(self, question: Question) -> int | None:
        """The number this question already has; None where it was not foreseen, and then nothing else is."""
        if self._current and self._current[0][0].data == question.data:
            return self._current.popleft()[1]
        self._current.clear()
        self._astray = True
        return None

    def whole(self, test: str) -> Sequence[tuple[Question, int]]:
        """All that this test is foreseen to ask, with numbers in a row; empty where some was not sent, or was asked."""
        sent = self._current if self._current is self._sent.get(test) else ()
        return tuple(sent) if len(sent) == len(self._script.get(test, ())) else ()

    def asked_as_foreseen(self, test: str, whole: bool) -> bool:
        """Whether the test that is on has asked nothing but what was foreseen; ``whole``: and all of that."""
        return not (whole and self._current) and not self._astray and self._current is self._sent.get(test)

    def bar(self, number: int) -> None:
        """What this question belongs to ended a worker before its time: that test is never sent ahead again."""
        self._barred.add(self._test_of.get(number, ""))

    def _foreseen(self, test: str) -> Sequence[Question]:
        return () if test in self._barred else self._script.get(test, ())

    def forget(self) -> None:
        """The worker is gone, with all that it was sent."""
        self._sent.clear()
        self._current = deque()
        self._test_of.clear()
        self.owners.clear()
