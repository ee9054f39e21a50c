"""Runs the tests of an assignment on one submission, and tells each ending apart."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Protocol

from grader.checks import endings
from grader.checks.collected import Test
from grader.checks.draws import Draws
from grader.checks.recalled import Recollection
from grader.errors import CheckFailed, GraderError, LostAhead, StudentError
from grader.model.course import PUBLIC_SEED
from grader.model.outcome import Outcome
from grader.model.report import TestResult
from grader.model.submission import Place
from grader.student.log import Answered

_TESTS_ON: Final = 8  # the test that runs, and those whose questions may go out meanwhile


class Examinee(Protocol):
    """Who is asked: a submission behind the wall, or code of our own."""

    last_called_: str | None
    log_: list[Answered]

    def begin_(self, tests: Sequence[tuple[int, str]]) -> None: ...

    def place_of_(self, name: str | None) -> Place | None: ...


@dataclass(frozen=True, slots=True)
class Examination:
    """How every test ended, and what was answered in it."""

    results: tuple[TestResult, ...]
    logs: Mapping[str, tuple[Answered, ...]]


def examine(
    tests: Sequence[Test],
    student: Examinee,
    reference: Any,
    seed: int,
    visibility: str,
    recollection: Recollection | None = None,
) -> Examination:
    """Every test once, in order; a test whose ``needs`` did not hold is BLOCKED.

    ``recollection``, of this student, spares the tests that met the very same answers before.
    """
    results: list[TestResult] = []
    logs: dict[str, tuple[Answered, ...]] = {}
    broken: set[str] = set()
    for number, test in enumerate(tests):
        blocker = next((name for name in test.needs if name in broken), None)
        if blocker:
            result = _blocked(test, blocker)
        else:
            to_come = enumerate(islice(tests, number, None), start=number)
            on = list(islice(((n, t.id) for n, t in to_come if broken.isdisjoint(t.needs)), _TESTS_ON))
            result = _run(test, student, reference, seed, on, recollection)
        if result.visibility != visibility:
            result = replace(result, visibility=visibility)
        results.append(result)
        logs[test.id] = () if blocker else tuple(student.log_)
        if result.outcome is not Outcome.PASSED:
            broken.add(test.criterion)
    return Examination(tuple(results), logs)


def reenact(
    tests: Sequence[Test], results: Sequence[TestResult], student: Examinee, reference: Any
) -> tuple[TestResult, ...]:
    """Give every failed hidden test a note that leaks nothing, by running it again on the public seed.

    ``student`` must be a fresh worker that has never seen a hidden input. Where the public run shows no
    failure, the note holds only what no input can reach.
    """
    by_id = {test.id: test for test in tests}
    noted = []
    for result in results:
        if result.outcome in endings.SHOWN_BY_REENACTMENT:
            again = _run(by_id[result.id], student, reference, PUBLIC_SEED, [(0, result.id)])
            if again.outcome is result.outcome:
                result = replace(result, note=again.note, place=again.place, function=again.function)
            else:
                result = replace(result, note=endings.bare_note(result))
        noted.append(result)
    return tuple(noted)


def _run(
    test: Test,
    student: Examinee,
    reference: Any,
    seed: int,
    on: Sequence[tuple[int, str]],
    recollection: Recollection | None = None,
) -> TestResult:
    """One test; ``on`` is its number and id, and those of the tests that come next."""
    result = TestResult(test.id, test.criterion, test.title, Outcome.PASSED)
    began = time.perf_counter()
    try:
        student.begin_(on)
        if recollection is None or not recollection.passed(test.id):
            try:
                test.run({"student": student, "reference": reference, "rng": Draws(seed, test.id)})
            except LostAhead:
                student.begin_(on[:1])
                test.run({"student": student, "reference": reference, "rng": Draws(seed, test.id)})
            if recollection is not None:
                recollection.keep(test.id)
    except CheckFailed as failed:
        if recollection is not None:
            recollection.keep(test.id, failed)
        result = replace(result, outcome=Outcome.FAILED, note=failed.note, detail=failed.detail)
    except StudentError as error:
        ending = endings.of(error)
        result = replace(result, outcome=ending.outcome, note=ending.note, detail=ending.detail, place=error.place)
    except GraderError as fault:
        result = replace(result, outcome=Outcome.GRADER_FAULT, detail=f"{type(fault).__name__}: {fault}")
    except Exception:
        result = replace(result, outcome=Outcome.GRADER_FAULT, detail=traceback.format_exc(limit=-6))
    function = student.last_called_
    return replace(
        result,
        function=function,
        place=result.place or (student.place_of_(function) if result.outcome is not Outcome.PASSED else None),
        duration_s=time.perf_counter() - began,
    )


def _blocked(test: Test, blocker: str) -> TestResult:
    return TestResult(test.id, test.criterion, test.title, Outcome.BLOCKED, blocked_by=blocker)
