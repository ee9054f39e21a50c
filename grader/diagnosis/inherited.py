"""A composed function that is right apart from a broken helper fails for the helper's sake: that costs nothing more.

The reference runs on our side with the broken helpers rebound to the student's own. Where it then answers all of a
failed test's questions as the student did, the test is BLOCKED by the criterion the helper lost. Where the answers
also move with their inputs, the composition has shown itself right, and a criterion of such tests alone is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any, Final, Protocol

import numpy as np
import torch

from grader.checks.collected import Test
from grader.checks.draws import Draws
from grader.checks.examination import Examination
from grader.diagnosis.faults import build
from grader.diagnosis.inline import InlineStudent
from grader.errors import CheckFailed, StudentError
from grader.model.outcome import Outcome
from grader.model.report import TestResult
from grader.rpc.values import Handle
from grader.student.log import Answered, Raised, alike, plain_name

_DATA: Final = (torch.Tensor, np.ndarray, list, tuple)
_FAILED: Final = frozenset({Outcome.FAILED, Outcome.RAISED})


class Answers(Protocol):
    """The student's own functions, by name."""

    def __getattr__(self, name: str) -> Callable[..., Any]: ...


def block_inherited(
    tests: Sequence[Test], seen: Examination, student: Answers, solution: str, reference: Any, seed: int
) -> Examination:
    """The examination with every inherited failure BLOCKED instead of failed."""
    broken = _broken_helpers(seen)
    if not broken:
        return seen
    by_id = {test.id: test for test in tests}
    modules: dict[tuple[str, ...], ModuleType] = {}  # one for each set of helpers that is rebound in it
    alive = cache(lambda function: _alive(seen, function))
    results = []
    for result in seen.results:
        others = {name: c for name, c in broken.items() if name not in _functions(seen.logs.get(result.id, ()))}
        if result.outcome in _FAILED and others:
            if tuple(others) not in modules:
                modules[tuple(others)] = build(solution, "reference_with_the_student_s_helpers")
            hybrid = InlineStudent(modules[tuple(others)], {name: getattr(student, name) for name in others})
            if _reproduces(by_id[result.id], hybrid, seen.logs[result.id], reference, seed):
                blocker = next(iter(others.values()))
                kept = all(map(alive, _composed(seen.logs[result.id])))
                result = replace(
                    result, outcome=Outcome.BLOCKED, blocked_by=blocker, note=None, detail="inherited", inherited=kept
                )
        results.append(result)
    return Examination(_with_those_that_wait(results), seen.logs)


def _with_those_that_wait(results: Sequence[TestResult]) -> tuple[TestResult, ...]:
    """What waits for a criterion that only inherited failures keep from holding is inherited as well."""
    marked = list(results)
    while True:
        spoilt = {r.criterion for r in marked if r.outcome is not Outcome.PASSED and not r.inherited}
        waiting = [
            i
            for i, r in enumerate(marked)
            if r.outcome is Outcome.BLOCKED and not r.inherited and r.blocked_by and r.blocked_by not in spoilt
        ]
        if not waiting:
            return tuple(marked)
        for i in waiting:
            marked[i] = replace(marked[i], inherited=True)


def _broken_helpers(seen: Examination) -> Mapping[str, str]:
    """Functions (no classes) that failed a test of their own alone, with the criterion they lost there."""
    found: dict[str, str] = {}
    for result in seen.results:
        functions = _functions(seen.logs.get(result.id, ()))
        if result.outcome in _FAILED and len(functions) == 1:
            name = next(iter(functions))
            if not name[0].isupper():
                found.setdefault(name, result.criterion)
    return found


def _alive(seen: Examination, function: str) -> bool:
    """Whether a function's answers follow their data, or, where it is given none, held in some test.

    Sizes and switches alone move what does nothing as well: they choose its shape and its case.
    """
    first: dict[tuple[object, ...], Answered] = {}
    held = {result.id for result in seen.results if result.outcome is Outcome.PASSED}
    for test, answer in ((test, answer) for test, log in seen.logs.items() for answer in log):
        if answer.function != function or isinstance(answer.value, Raised | Handle):
            continue
        settings = [repr(given) for given in answer.given if not isinstance(given, _DATA)]
        if len(settings) == len(answer.given) and test in held:
            return True
        earlier = first.setdefault((_form(answer.value), *settings), answer)
        if not alike(earlier.value, answer.value):
            return True
    return False


def _form(value: Any) -> str:
    """Kind and shapes: zeros of another shape are still zeros."""
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({', '.join(map(_form, value))})"
    return f"{type(value).__name__}{tuple(getattr(value, 'shape', ()))} {getattr(value, 'dtype', '')}"


def _composed(log: Sequence[Answered]) -> set[str]:
    """The functions that a test asked; what only raised shows nothing of how it is composed."""
    values = {answer.function for answer in log if not isinstance(answer.value, Raised | Handle)}
    return values or {"(nothing was answered)"}


def _functions(log: Sequence[Answered]) -> set[str]:
    return {plain_name(answer.function) for answer in log}


def _reproduces(test: Test, hybrid: InlineStudent, log: Sequence[Answered], reference: Any, seed: int) -> bool:
    hybrid.log_ = _Beside(log)
    try:
        test.run({"student": hybrid, "reference": reference, "rng": Draws(seed, test.id)})
        return False  # it passes: the helper is not what broke this test
    except (CheckFailed, StudentError):
        return len(hybrid.log_) == len(log)
    except Exception:  # another answer; or what the student's helper gave trips our own composed code: no proof
        return False


class _Beside(list[Answered]):
    """Answers that have to be those of another log, in order."""

    def __init__(self, log: Sequence[Answered]) -> None:
        super().__init__()
        self._log = log

    def append(self, answer: Answered) -> None:
        """Raises ``LookupError`` where the other log has something else: the rest need not be asked."""
        if len(self) == len(self._log) or not alike(answer, self._log[len(self)]):
            raise LookupError
        super().append(answer)
