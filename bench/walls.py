"""What all walls cost a submission: the same worker with them and without, in turns, in one process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from grader.catalog import load_course
from grader.desk import Desk
from grader.model.submission import Job
from grader.sandbox.zygote import ZygoteSandbox

WALLS = ("namespaces", "own root", "user", "privileges", "session", "rlimits", "landlock", "seccomp")


def cost(root: Path, assignment: str, files: Sequence[Path], rounds: int, seed: int) -> tuple[float, tuple[str, ...]]:
    """Milliseconds a submission, the median of paired differences; and the walls that stood.

    The bare worker tries nothing either: what a wall stops at once, such as a copy of the process, takes long without.
    """
    with _desk(root, without=()) as (walled, sandbox), _desk(root, without=(*WALLS, "proof")) as (open_, bare):
        assert not set(WALLS) & set(bare.isolation.walls), "a wall stands where none should"
        differences = []
        for number in range(rounds + 1):
            for file in files:
                job = Job(str(file), assignment, seed, asks="marks")
                # Whoever comes first finds a colder cache: they take turns.
                first, second = (walled, open_) if number % 2 else (open_, walled)
                taken = {id(desk): _timed(desk, job) for desk in (first, second)}
                if number:  # the first round warms
                    differences.append(taken[id(walled)] - taken[id(open_)])
        return statistics.median(differences), sandbox.isolation.walls


def _timed(desk: Desk, job: Job) -> float:
    began = time.perf_counter()
    report = desk.report(job)
    taken = (time.perf_counter() - began) * 1000
    assert report.score == report.max_score, report.reason
    return taken


@contextmanager
def _desk(root: Path, without: Sequence[str]) -> Iterator[tuple[Desk, ZygoteSandbox]]:
    sandbox = ZygoteSandbox({}, guarded=[root / "reference"], practice=True, leave_out=without)
    desk = Desk(load_course(root), lambda: sandbox)
    try:
        desk.ready()
        yield desk, sandbox
    finally:
        desk.close()
