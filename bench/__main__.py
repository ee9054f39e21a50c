"""What one submission costs: ours, a fresh pytest process, and the fork floor, in one run on one machine.

The floor is a warm process that forks, imports the student's file and runs the same checks in it: no wall,
no limit, no report. All figures are medians; ratios are what to quote.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench.class_ import machine, report, runs_bare
from bench.walls import cost as walls_cost
from grader.engines.serial import SerialEngine
from grader.model.submission import Job

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "attention"
SEED = 7
CONFIG = {"course": str(ROOT), "reference": None, "environment": {}}


def submissions(count: int) -> list[Path]:
    """Right golden submissions of one plain file each."""
    folders = sorted((ROOT / "tests" / "golden" / ASSIGNMENT).glob("right_*"))
    files = [folder / f"{ASSIGNMENT}.py" for folder in folders if len(list(folder.iterdir())) == 2]
    return [file for file in files if file.is_file() and runs_bare(file)][:count]


def timed(run: Callable[[Path], None], files: Sequence[Path], rounds: int) -> list[float]:
    """Milliseconds of each run."""
    taken = []
    for _ in range(rounds):
        for file in files:
            began = time.perf_counter()
            run(file)
            taken.append((time.perf_counter() - began) * 1000)
    return taken


def ours(files: Sequence[Path], rounds: int) -> list[float]:
    """The whole way: grading process, session process, worker, checks, score, report document.

    Each round is a class on a seed of its own, so that no answer is met again save those that styles have in common.
    """
    taken = []
    with SerialEngine("grader.opening:open_desk", CONFIG) as engine:

        def run(file: Path, seed: int) -> None:
            ((_, document),) = engine.map([Job(str(file), ASSIGNMENT, seed)])
            assert document["score"] == document["max_score"], document["reason"]

        for seed in range(SEED, SEED + rounds):
            run(files[0], seed)  # warm: what a seed needs is made with the first submission
            taken += timed(partial(run, seed=seed), files[1:], 1)
    return taken


def fresh_pytest(files: Sequence[Path], rounds: int) -> list[float]:
    """One pytest process a submission, everything in it."""

    def run(file: Path) -> None:
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "bench.fresh_plugin", "-p", "no:cacheprovider", "--noconftest",
             "-c", os.devnull,
             "--rootdir", str(ROOT / "reference" / ASSIGNMENT), "--import-mode=importlib",
             str(ROOT / "reference" / ASSIGNMENT / "checks.py"), "--inline", str(file)],
            cwd=ROOT, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip

    return timed(run, files, rounds)


def fork_floor(files: Sequence[Path], rounds: int) -> list[float]:
    """The same checks in a fork of a warm process."""
    import torch

    from bench.inline import all_pass
    from grader.catalog import load_course
    from grader.exercise import open_exercise

    torch.set_num_threads(1)
    exercise = open_exercise(load_course(ROOT), ASSIGNMENT, False)
    assert exercise.reference is not None
    reference = exercise.reference
    all_pass(exercise.hidden, files[0], reference, SEED)  # warm

    def run(file: Path) -> None:
        if (child := os.fork()) == 0:
            passed = False
            try:
                passed = all_pass(exercise.hidden, file, reference, SEED)
            finally:
                os._exit(0 if passed else 1)
        _, status = os.waitpid(child, 0)
        assert status == 0, f"{file} should pass"

    return timed(run, files, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--class-size", type=int, default=200)
    parser.add_argument("--large", action="store_true", help="a class ten times as large, too, for memory")
    given = parser.parse_args()
    files = submissions(given.submissions)
    print(f"machine: {machine()}")
    print(f"{len(files)} right submissions of {ASSIGNMENT}, {given.rounds} rounds, medians:")
    figures = {
        "ours": statistics.median(ours(files, given.rounds)),
        "fork floor": statistics.median(fork_floor(files, given.rounds)),
        "fresh pytest": statistics.median(fresh_pytest(files[:4], 1)),
    }
    for name, median in figures.items():
        print(f"  {name:13s} {median:8.1f} ms a submission")
    ms, walls = walls_cost(ROOT, ASSIGNMENT, files, 2 * given.rounds, SEED)
    print(f"  all walls        {ms:8.1f} ms of it ({', '.join(walls)})")
    print(f"  ours / floor         {figures['ours'] / figures['fork floor']:6.2f}")
    print(f"  fresh pytest / ours  {figures['fresh pytest'] / figures['ours']:6.1f}")
    print(f"a class of {given.class_size} from the golden submissions:")
    for line in report(given.class_size, large=given.large):
        print(line, flush=True)


if __name__ == "__main__":
    main()
