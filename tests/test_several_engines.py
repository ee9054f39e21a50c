"""Several engines side by side answer as one would."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from grader.engines.several import SeveralEngines
from grader.errors import GraderFault
from grader.model.submission import Job

JOBS = [Job(f"{n}.py", "attention", n) for n in range(20)]


class Engine:
    """Answers with its own name; the first job waits until another engine has answered too."""

    def __init__(self, name: str, barrier: threading.Barrier | None = None) -> None:
        self.name, self.closed, self._barrier = name, False, barrier

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        for job in jobs:
            if self._barrier is not None:
                self._barrier.wait(timeout=20)
                self._barrier = None
            yield job, {"seed": job.seed, "by": self.name}

    def close(self) -> None:
        self.closed = True


class Failing(Engine):
    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        next(super().map(jobs))
        raise GraderFault("gone")


def test_every_job_is_answered_once_in_the_order_given() -> None:
    barrier = threading.Barrier(2)
    with SeveralEngines([Engine("a", barrier), Engine("b", barrier)]) as engine:
        answers = list(engine.map(JOBS))
    assert [(job, told["seed"]) for job, told in answers] == [(job, job.seed) for job in JOBS]
    assert {told["by"] for _, told in answers} == {"a", "b"}


def test_what_one_engine_raises_is_raised_and_all_are_closed() -> None:
    barrier = threading.Barrier(2)
    engines = [Engine("a", barrier), Failing("b", barrier)]
    with pytest.raises(GraderFault, match="gone"), SeveralEngines(engines) as engine:
        list(engine.map(JOBS))
    assert [each.closed for each in engines] == [True, True]
