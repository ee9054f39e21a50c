"""Questions sent before a check asks them change what a run costs, and nothing of what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from grader import intake
from grader.catalog import load_course
from grader.checks.collected import Test
from grader.checks.examination import examine
from grader.diagnosis.rehearsal import foreseen
from grader.loading import Loading
from grader.model.course import Text
from grader.model.outcome import Outcome
from grader.sandbox.zygote import ZygoteSandbox
from grader.student import Student
from grader.student.ahead import Ahead

ROOT = Path(__file__).resolve().parent.parent
ONE, TWO, DEADLY = (torch.full((1, 1), value) for value in (1.0, 2.0, 13.0))
SOLUTION = """
def attention_scores(q, k):
    return q * k

def attention_weights(scores, mask=None):
    return scores
"""
DIES_AT_THIRTEEN = """
import os

calls = 0

def attention_scores(q, k):
    global calls
    calls += 1
    if float(q) == 13:
        ENDING
    return q * 0 + calls

def attention_weights(scores, mask=None):
    return scores
"""


def first_fails(student: Any) -> None:
    """One answer is not what was foreseen."""
    if float(student.attention_scores(ONE, ONE)) == 1.0:
        student.attention_scores(DEADLY, ONE)  # right code is asked this


def then_passes(student: Any) -> None:
    """Another test, whose questions were sent along."""
    assert float(student.attention_weights(TWO)) == 2.0


def as_tests(*calls: Callable[..., None]) -> list[Test]:
    return [Test(c.__name__, "scale", (), Text(str(c.__doc__)), c, {}, ("student",)) for c in calls]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ZygoteSandbox]:
    found = ZygoteSandbox({})
    yield found
    found.close()


def opened(sandbox: ZygoteSandbox, folder: Path, source: str, tests: list[Test]) -> Student:
    course = load_course(ROOT)
    assignment = course.assignment("attention")
    assert assignment is not None
    (folder / "attention.py").write_text(source, encoding="utf-8")
    loading = Loading(sandbox, intake.load(folder / "attention.py", assignment), assignment, course)
    return Student(loading, assignment, foreseen(tests, SOLUTION, torch, 1))


def test_right_code_is_asked_nothing_but_what_was_foreseen(
    sandbox: ZygoteSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int | None] = []
    take = Ahead.take
    monkeypatch.setattr(Ahead, "take", lambda self, q: taken.append(found := take(self, q)) or found)
    tests = as_tests(first_fails, then_passes)
    student = opened(sandbox, tmp_path, SOLUTION, tests)
    student.load_()
    seen = examine(tests, student, None, 1, "hidden")
    student.close_()
    assert [result.outcome for result in seen.results] == [Outcome.PASSED, Outcome.PASSED]
    assert len(taken) == 3 and None not in taken


@pytest.mark.parametrize("ending", ["os._exit(3)", "raise SystemExit", "import ctypes; ctypes.string_at(0)"])
def test_a_question_nobody_needed_any_more_costs_nothing_whatever_it_does(
    sandbox: ZygoteSandbox, tmp_path: Path, ending: str
) -> None:
    def other_answer(student: Any) -> None:
        """The student answers 1 where right code answers 1 as well, and is then asked something else."""
        student.attention_scores(ONE, ONE)
        if float(student.attention_scores(ONE, TWO)) == 2.0:
            student.attention_scores(DEADLY, ONE)
        assert float(student.attention_scores(TWO, TWO)) >= 1.0

    tests = as_tests(other_answer, then_passes)
    solution_like = DIES_AT_THIRTEEN.replace("ENDING", ending).replace("q * 0 + calls", "q * 0 + 7")
    student = opened(sandbox, tmp_path, solution_like, tests)
    student.load_()
    seen = examine(tests, student, None, 1, "hidden")
    student.close_()
    assert [result.outcome for result in seen.results] == [Outcome.PASSED, Outcome.PASSED]


def test_a_question_that_was_needed_ends_as_it_would_have(sandbox: ZygoteSandbox, tmp_path: Path) -> None:
    tests = as_tests(first_fails, then_passes)
    student = opened(sandbox, tmp_path, DIES_AT_THIRTEEN.replace("ENDING", "os._exit(3)"), tests)
    student.load_()
    seen = examine(tests, student, None, 1, "hidden")
    student.close_()
    assert [result.outcome for result in seen.results] == [Outcome.DIED, Outcome.PASSED]
    assert seen.results[0].function == "attention_scores"


def test_answers_sent_along_outlive_a_question_nobody_foresaw(sandbox: ZygoteSandbox, tmp_path: Path) -> None:
    def asks_on(student: Any) -> None:
        """The second question hangs on the first answer."""
        student.attention_weights(student.attention_scores(ONE, TWO))

    tests = as_tests(asks_on, then_passes)
    student = opened(sandbox, tmp_path, SOLUTION.replace("q * k", "q * k + 5"), tests)
    student.load_()
    seen = examine(tests, student, None, 1, "hidden")
    workers = student.generation_
    student.close_()
    assert [result.outcome for result in seen.results] == [Outcome.PASSED, Outcome.PASSED]
    assert workers == 1, "nothing timed out and nothing was asked again"
