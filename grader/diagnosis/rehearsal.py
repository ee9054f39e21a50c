"""What the reference, and the reference with known mistakes in it, answer to the very questions a student got."""

from __future__ import annotations

import contextlib
import warnings
from collections import deque
from collections.abc import Sequence
from types import ModuleType
from typing import Final

from grader.checks.collected import Test
from grader.checks.draws import Draws
from grader.diagnosis.faults import Fault, build, faulty_source
from grader.diagnosis.inline import InlineStudent, copied
from grader.diagnosis.plays import Log, Plays
from grader.diagnosis.reach import reached
from grader.diagnosis.untouched import Made, answers_alike
from grader.student.ahead import Script
from grader.student.log import Answered, alike, plain_name
from grader.student.questions import Question

_PAIR_LOGS: Final = 4000


class Rehearsals:
    """Answers by mistake and test on one seed, found when first asked for and kept; those of pairs for a while."""

    def __init__(self, solution: str, reference: ModuleType, seed: int, plays: Plays | None = None) -> None:
        """``plays``: those of others who grade the same class."""
        self._plays = plays
        self._solution = solution
        self._reference = reference
        self._seed = seed
        self._modules: dict[tuple[str, ...], ModuleType | None] = {}
        self._logs: dict[tuple[tuple[str, ...], str], Log | None] = {}
        self._reached: dict[str, frozenset[str] | None] = {}
        self._changed: dict[tuple[str, str], tuple[bool, ...]] = {}
        self._calls: dict[str, Sequence[Made]] = {}  # of the reference, by test, where they are all there is
        self._pairs: deque[tuple[tuple[str, ...], str]] = deque()

    def log(self, faults: Sequence[Fault], test: Test) -> Log | None:
        """The answers to one test's questions; None where the mistakes cannot stand in one file."""
        key = (tuple(fault.id for fault in faults), test.id)
        if key not in self._logs:
            self._logs[key] = self._found(faults, test)
            if len(faults) > 1:
                self._pairs.append(key)
                self._make_room()
        return self._logs[key]

    def _found(self, faults: Sequence[Fault], test: Test) -> Log | None:
        module = self._module(faults)
        if module is None:
            return None
        right = self.log((), test) if faults else None
        if right is not None and not any(self.reaches(fault, answer.function) for answer in right for fault in faults):
            return right  # nothing is asked that one of them can show in
        if right is None or self._plays is None or len(faults) > 1:
            return self._gone_through(module, test, right)
        known = self._plays.find(faults[0].id, test.id, right)
        if known is None:
            known = self._gone_through(module, test, right)
            self._plays.add(faults[0].id, test.id, known, right)
        return known

    def exchange(self) -> None:
        """Tell the others what was rehearsed here, and hear what they rehearsed."""
        if self._plays is not None:
            self._plays.exchange()

    def _gone_through(self, module: ModuleType, test: Test, right: Log | None) -> Log:
        """In full only where the calls of right code are not answered alike."""
        if right is not None and (calls := self._calls.get(test.id)) and answers_alike(module, calls, copied):
            return right
        return self._play(module, test)

    def reaches(self, fault: Fault, function: str) -> bool:
        """Whether a mistake can show in a function at all, by what stands in the solution."""
        if fault.id not in self._reached:
            source = faulty_source(self._solution, (fault,))
            self._reached[fault.id] = None if source is None else reached(self._solution, source)
        names = self._reached[fault.id]
        return names is None or plain_name(function) in names

    def changed(self, fault: Fault, test: Test, call: int) -> bool:
        """Whether a mistake changes what the reference answers to this call of a test."""
        key = (fault.id, test.id)
        if key not in self._changed:
            right, faulty = self.log((), test) or (), self.log((fault,), test) or ()
            same = (answers_as((fault,), *both) for both in zip(right, faulty, strict=False))
            self._changed[key] = tuple(not each for each in same)
        told = self._changed[key]
        return call >= len(told) or told[call]

    def knows(self, faults: Sequence[Fault], test: str) -> bool:
        """Whether these answers were found before."""
        return (tuple(fault.id for fault in faults), test) in self._logs

    def _make_room(self) -> None:
        """Pairs are many: the oldest go."""
        if len(self._pairs) > _PAIR_LOGS:
            oldest = self._pairs.popleft()
            del self._logs[oldest]
            if not any(ids == oldest[0] for ids, _ in self._pairs):
                self._modules.pop(oldest[0], None)

    def _module(self, faults: Sequence[Fault]) -> ModuleType | None:
        key = tuple(fault.id for fault in faults)
        if key not in self._modules:
            source = faulty_source(self._solution, faults)
            self._modules[key] = build(source, "rehearsed") if source is not None else None
        return self._modules[key]

    def _play(self, module: ModuleType, test: Test) -> Log:
        student = InlineStudent(module)
        student.made_ = [] if module is self._modules.get(()) else None
        given = {"student": student, "reference": self._reference, "rng": Draws(self._seed, test.id)}
        # It fails, warns, or the check trips over this mistake: what was answered counts.
        with warnings.catch_warnings(action="ignore"), contextlib.suppress(Exception):
            test.run(given)
        if student.made_ is not None and len(student.made_) == len(student.log_):
            self._calls[test.id] = student.made_
        return tuple(student.log_)


def answers_as(faults: Sequence[Fault], answer: Answered, rehearsed: Answered) -> bool:
    """Whether an answer is the one that code with these mistakes gave, as near as they have to be met."""
    near = min((fault.near for fault in faults), default=0.0)
    return alike(answer, rehearsed) or (near > 0 and alike(answer, rehearsed, rtol=near))


def foreseen(tests: Sequence[Test], solution: str, reference: ModuleType, seed: int) -> Script:
    """What each test asks of right code: the questions it puts to the reference."""
    student = InlineStudent(build(solution, "foreseen"), noting=True)
    script: dict[str, Sequence[Question]] = {}
    for number, test in enumerate(tests):
        student.begin_([(number, test.id)])
        with contextlib.suppress(Exception):  # an author's slip shows when a submission is graded
            test.run({"student": student, "reference": reference, "rng": Draws(seed, test.id)})
            script[test.id] = tuple(student.asked_)
    return script
