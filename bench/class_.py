"""A class made of the golden submissions: the whole command, what a second process gains, and the grader's own memory.

``python -m bench.class_ --large`` adds a class ten times as large, for memory alone.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.engines.pool import PoolEngine
from grader.model import Job

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "attention"
SEED = 7
CONFIG = {"course": str(ROOT), "reference": None, "environment": {}}
_LOOP = "n = 0\nfor i in range(30_000_000): n += i"


def golden() -> list[Path]:
    """Submissions as a class has them, save those that wait for a limit: right ones and common mistakes."""
    folders = sorted((ROOT / "tests" / "golden" / ASSIGNMENT).iterdir())
    kinds = ("right_", "wrong_", "fault_", "common_")
    found = [folder / f"{ASSIGNMENT}.py" for folder in folders if folder.name.startswith(kinds)]
    return [file for file in found if file.is_file()]


def make_class(folder: Path, count: int) -> None:
    """``count`` folders, no two of the same bytes."""
    files = golden()
    for number in range(count):
        place = folder / f"s{number:04d}"
        place.mkdir(parents=True)
        text = files[number % len(files)].read_bytes()
        (place / f"{ASSIGNMENT}.py").write_bytes(text + f"\n# {number}\n".encode())


def whole_command(count: int, jobs: int) -> tuple[float, float]:
    """Seconds of ``grader batch`` from start to end, and the most memory (MiB) of the process that holds the store."""
    with tempfile.TemporaryDirectory() as folder:
        make_class(Path(folder, "drop"), count)
        command = [sys.executable, "-m", "grader", "--course", str(ROOT), "batch", f"{folder}/drop", "-a", ASSIGNMENT,
                   "-o", f"{folder}/out", "--seed", str(SEED), "--jobs", str(jobs)]  # fmt: skip
        began, most = time.perf_counter(), 0.0
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                most = max(most, _peak_mib(process.pid))
                time.sleep(0.05)
        assert process.returncode in (0, 1), process.returncode
        return time.perf_counter() - began, most


def _peak_mib(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)


def busy_gain(processes: int) -> float:
    """How much more this machine gets done with that many busy loops than with one."""

    def run(count: int) -> float:
        began = time.perf_counter()
        for loop in [subprocess.Popen([sys.executable, "-c", _LOOP]) for _ in range(count)]:
            loop.wait()
        return time.perf_counter() - began

    return processes * min(run(1) for _ in range(2)) / min(run(processes) for _ in range(2))


def warm_seconds(count: int, files: Sequence[Path]) -> float:
    """Seconds for these submissions on ``count`` hosts that are warm already."""
    with PoolEngine("grader.opening:open_desk", CONFIG, count) as engine:
        list(engine.map([Job(str(file), ASSIGNMENT, SEED) for file in files[: 6 * count]]))
        began = time.perf_counter()
        list(engine.map([Job(str(file), ASSIGNMENT, SEED) for file in files]))
        return time.perf_counter() - began


def report(count: int = 200, *, large: bool = False) -> Iterator[str]:
    """The figures of a class, a line each."""
    if len(os.sched_getaffinity(0)) < 2:
        yield "one core: what a second job gains cannot be measured here"
    files = (golden() * (1 + count // len(golden())))[:count]
    loops = busy_gain(2)
    one, two = warm_seconds(1, files), warm_seconds(2, files)
    yield f"  warm, {count} submissions: one job {1000 * one / count:.1f} ms each, two {1000 * two / count:.1f} ms"
    yield f"  two jobs gain {one / two:.2f}, two busy loops {loops:.2f}: {one / two / loops:.2f} of it"
    seconds, mib = whole_command(count, 2)
    yield f"  grader batch, {count}: {seconds:.1f} s from start to end, {1000 * seconds / count:.0f} ms each"
    yield f"  memory of the grader: {mib:.0f} MiB for {count}"
    if large:
        seconds, mib = whole_command(10 * count, 2)
        yield f"  grader batch, {10 * count}: {seconds:.1f} s, {mib:.0f} MiB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    print(f"a class of {given.submissions} from the golden submissions of {ASSIGNMENT}:")
    for line in report(given.submissions, large=given.large):
        print(line, flush=True)


if __name__ == "__main__":
    main()
