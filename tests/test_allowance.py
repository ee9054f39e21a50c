"""What a submission may take in all is counted over all its runs, and only while it is waited for."""

from __future__ import annotations

import pytest

from grader.errors import StudentTimedOut, WorkerDied
from grader.model.course import Limits
from grader.student import allowance as rules
from grader.student.allowance import Allowance, Ends


class Clock:
    """Stands in for ``time.monotonic``; goes on when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rules.time, "monotonic", clock)
    return clock


def test_only_time_spent_waiting_for_the_submission_counts(clock: Clock) -> None:
    allowance = Allowance(Limits())
    clock.now += 10 * Limits().submission_s  # our own work between two runs
    assert allowance.refusal("f") is None
    for _ in range(2):
        with allowance.waiting():
            clock.now += 0.6 * Limits().submission_s
    assert isinstance(allowance.refusal("f"), StudentTimedOut)


def test_the_first_hang_costs_a_whole_limit_and_every_later_one_of_any_function_the_short_one() -> None:
    allowance = Allowance(Limits())
    assert allowance.call_s == Limits().call_s
    allowance.struck("f")
    assert allowance.call_s == Limits().call_again_s
    assert allowance.refusal("f") is None and allowance.refusal("g") is None


def test_a_function_that_hung_twice_is_not_called_again_and_the_others_are() -> None:
    allowance = Allowance(Limits())
    allowance.struck("f")
    allowance.struck("f")
    assert isinstance(allowance.refusal("f"), StudentTimedOut)
    assert allowance.refusal("g") is None


def test_a_function_whose_results_pass_four_of_the_largest_is_not_called_again() -> None:
    allowance, largest = Allowance(Limits()), Limits().frame_mib << 20
    for _ in range(4):
        allowance.took("f", largest)
        assert allowance.refusal("f") is None
    allowance.took("f", 1)
    assert isinstance(allowance.refusal("f"), WorkerDied)
    assert allowance.refusal("g") is None


def test_a_function_that_only_ever_ends_its_process_ends_no_more_than_five() -> None:
    ends = Ends()
    for _ in range(5):
        assert ends.refusal("f") is None
        ends.ended("f", "exit code 0")
    assert isinstance(ends.refusal("f"), WorkerDied)


def test_one_that_has_answered_before_is_always_asked_again() -> None:
    ends = Ends()
    ends.answered("f")
    for _ in range(20):
        ends.ended("f", "crash")
    assert ends.refusal("f") is None
