"""Answers that were judged once end a test the same way again, unjudged; nothing else is ever recalled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader import pipeline
from grader.checks.collected import Test
from grader.checks.examination import Examination, examine
from grader.checks.recalled import Recalled, Recollection
from grader.checks.shown import Shown
from grader.desk import Desk
from grader.document import dump, to_document
from grader.errors import CheckFailed
from grader.model.course import Limits, Text
from grader.model.outcome import Outcome
from grader.model.report import TestResult as Ended
from grader.model.submission import Job, Place
from grader.rpc.values import Opaque
from grader.sandbox.zygote import ZygoteSandbox
from grader.student.log import Answered, Raised, fingerprint
from tests.test_ahead import ONE, SOLUTION, TWO, as_tests, opened, sandbox
from tests.test_determinism import without_times
from tests.test_golden import GOLDEN, submission_in

__all__ = ["sandbox"]  # a fixture
SAME = "import time\n" + SOLUTION.replace("q * k", "k * q")
LAST_BIT = SOLUTION.replace("q * k", "q * k * (1 + 2.0 ** -23)")


class Judge:
    """Counts how often each of its checks runs."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def near(self, student: Any) -> None:
        """An answer within a tolerance."""
        self.ran.append("near")
        if abs(float(student.attention_scores(ONE, TWO)) - 2.0) >= 1e-3:
            raise CheckFailed(Text(en="not 2"), "far from 2")

    def asks_on(self, student: Any) -> None:
        """The second question hangs on the first answer."""
        self.ran.append("asks_on")
        student.attention_weights(student.attention_scores(ONE, TWO))


def seen_by(
    sandbox: ZygoteSandbox, folder: Path, source: str, tests: list[Test], recalled: Recalled
) -> tuple[Sequence[Any], list[str | None], list[int]]:
    student = opened(sandbox, folder, source, tests)
    student.load_()
    found = examine(tests, student, None, 1, "hidden", Recollection(student, recalled))
    student.close_()
    return found.results, [r.function for r in found.results], [len(found.logs[t.id]) for t in tests]


def test_the_same_answers_pass_unjudged_and_leave_the_same_traces(sandbox: ZygoteSandbox, tmp_path: Path) -> None:
    judge, recalled = Judge(), Recalled()
    tests = as_tests(judge.near)
    first = seen_by(sandbox, tmp_path, SOLUTION, tests, recalled)
    judge.ran.clear()
    again = seen_by(sandbox, tmp_path, SAME, tests, recalled)
    assert len(judge.ran) == 1, "only to foresee what it asks"
    assert [r.outcome for r in again[0]] == [Outcome.PASSED]
    assert first[1:] == again[1:] == (["attention_scores"], [1])


@pytest.mark.parametrize("source", [LAST_BIT, SOLUTION.replace("q * k", "(q * k).double()")])
def test_an_answer_that_differs_in_the_last_bit_or_the_dtype_is_judged(
    sandbox: ZygoteSandbox, tmp_path: Path, source: str
) -> None:
    judge, recalled = Judge(), Recalled()
    tests = as_tests(judge.near)
    seen_by(sandbox, tmp_path, SOLUTION, tests, recalled)
    seen_by(sandbox, tmp_path, source, tests, recalled)
    assert len(judge.ran) == 4, "to foresee it and to judge it, both times"


def test_a_test_that_asked_what_nobody_foresaw_is_never_recalled(sandbox: ZygoteSandbox, tmp_path: Path) -> None:
    judge, recalled = Judge(), Recalled()
    tests = as_tests(judge.asks_on)
    other = SOLUTION.replace("q * k", "q * k + 5")
    seen_by(sandbox, tmp_path, other, tests, recalled)
    judge.ran.clear()
    results, _, answers = seen_by(sandbox, tmp_path, other, tests, recalled)
    assert len(judge.ran) == 2, "to foresee it, and to judge it"
    assert answers == [2]
    assert [r.outcome for r in results] == [Outcome.PASSED]


def test_the_same_wrong_answers_fail_unjudged_with_the_same_words(sandbox: ZygoteSandbox, tmp_path: Path) -> None:
    judge, recalled = Judge(), Recalled()
    tests = as_tests(judge.near)
    wrong = SOLUTION.replace("q * k", "q + k")
    first = seen_by(sandbox, tmp_path, wrong, tests, recalled)
    judge.ran.clear()
    again = seen_by(sandbox, tmp_path, "import time\n" + wrong, tests, recalled)
    assert len(judge.ran) == 1, "only to foresee what it asks"
    assert [r.outcome for r in again[0]] == [Outcome.FAILED]
    assert [(r.note, r.detail) for r in first[0]] == [(r.note, r.detail) for r in again[0]]
    assert first[1:] == again[1:] == (["attention_scores"], [1])
    lines = [r.place.line for r in (*first[0], *again[0]) if r.place]
    assert lines[1] == lines[0] + 1, "its own line, not that of the one before"


def test_what_raised_is_asked_again_each_time(sandbox: ZygoteSandbox, tmp_path: Path) -> None:
    judge, recalled = Judge(), Recalled()
    tests = as_tests(judge.near)
    for message in ("first", "second"):
        raising = SOLUTION.replace("q * k", f"q.{message}")
        results, _, _ = seen_by(sandbox, tmp_path, raising, tests, recalled)
        assert message in str(results[0].note)


def test_only_the_latest_ways_to_end_are_kept() -> None:
    from grader.checks.recalled import _KEPT, Ended

    recalled = Recalled()
    for number in range(_KEPT + 5):
        recalled.keep("t", bytes([number]), Ended((), None))
        assert recalled.find("t", bytes([0])) is not None, "met again each time"
    assert recalled.find("t", bytes([_KEPT + 4])) is not None
    assert recalled.find("t", bytes([1])) is None
    assert recalled.find("other", bytes([_KEPT + 4])) is None and recalled.find("t", None) is None


def without_recollection(seen: Callable[..., Examination]) -> Callable[..., Examination]:
    return lambda tests, student, reference, seed, visibility, recollection=None: seen(
        tests, student, reference, seed, visibility
    )


UNSCALED = """import torch

def attention_scores(q, k):
    return q @ k.mT

def attention_weights(scores, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    return torch.nan_to_num(torch.softmax(scores, -1))

def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return weights @ v, weights
"""


def test_who_answers_as_one_before_is_told_the_same_at_his_own_lines_without_a_second_worker(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Limits] = []
    real = ZygoteSandbox.open
    monkeypatch.setattr(ZygoteSandbox, "open", lambda self, limits: (opened.append(limits), real(self, limits))[1])
    reports = []
    for name, text in {"first": UNSCALED, "second": "# mine\n\n" + UNSCALED, "other": UNSCALED + "1 / 0\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "attention.py").write_text(text)
        reports.append(desk.report(Job(str(tmp_path / name), "attention", 78)))
    failed = [[t for t in report.tests if t.outcome is Outcome.FAILED] for report in reports]
    assert len(opened) == 2 + 1 + 1
    assert failed[0] and len(failed[0]) == len(failed[1]) == len(failed[2])
    for first, second in zip(*failed[:2], strict=True):
        assert (first.id, first.note, first.function) == (second.id, second.note, second.function)
        assert first.place and second.place and second.place.line == (first.place.line or 0) + 2
    assert [f.faults for f in reports[0].diagnosis] == [f.faults for f in reports[1].diagnosis] == [("no_scale",)]


def test_odd_objects_are_told_apart_in_what_is_remembered() -> None:
    def answers(value: object) -> bytes:
        return fingerprint([Answered("f", value)])

    odd = [Opaque("a Lazy object"), Opaque("a map object"), Raised("a Lazy object"), None, [Opaque("a Lazy object")]]
    odd += [(Opaque("a Lazy object"),), {"w": Opaque("a Lazy object")}, {"w": Opaque("a map object")}, {}]
    assert len({answers(value) for value in odd}) == len(odd)


def test_notes_of_what_raised_are_never_handed_on() -> None:
    shown = Shown()
    note = Text(en="its own words")
    raised = Ended("t", "c", Text(""), Outcome.RAISED, note=note, function="f")
    shown.keep(b"answers", [raised])
    assert shown.find(b"answers", [raised], lambda name: None) is None
    failed = replace(raised, outcome=Outcome.FAILED)
    shown.keep(b"answers", [failed])
    shown.keep(b"", [failed])
    assert shown.find(b"other", [failed], lambda name: None) is None
    assert shown.find(b"", [failed], lambda name: None) is None
    found = shown.find(b"answers", [replace(failed, note=None)], lambda name: Place("a.py", 3))
    assert found == (replace(failed, place=Place("a.py", 3)),)


def some(every: int) -> list[Path]:
    """Golden submissions that end in good time."""
    folders = sorted(p.parent for p in GOLDEN.glob("*/*/expected.yaml") if "timed_out" not in p.read_text("utf-8"))
    return folders[::every]


@pytest.mark.parametrize("every", [97, pytest.param(1, marks=pytest.mark.long)])
def test_a_class_is_graded_as_if_each_came_alone(desk: Desk, monkeypatch: pytest.MonkeyPatch, every: int) -> None:
    jobs = [Job(str(submission_in(folder)), folder.parent.name, 77) for folder in some(every)]
    together = [without_times(dump(to_document(desk.report(job)))) for job in jobs]
    monkeypatch.setattr(pipeline, "examine", without_recollection(pipeline.examine))
    monkeypatch.setattr(Shown, "find", lambda *answers: None)
    for job, document in zip(jobs, together, strict=True):
        assert without_times(dump(to_document(desk.report(job)))) == document, job.path
