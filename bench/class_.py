"""A class made of the golden submissions: the whole command, what a second process gains, and the grader's own memory.

Prints its limits beside the figures. ``python -m bench.class_ --large`` adds a class ten times as large, for memory.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bench.floor import floor_seconds
from grader.engines.pool import PoolEngine
from grader.model.submission import Job

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "attention"
SEED = 7
CONFIG = {"course": str(ROOT), "reference": None, "environment": {}}
_SAMPLE = 6  # fresh pytest processes
_ROUNDS = 3  # of loops, one job and two: whatever else a machine does meets them alike
_LOOP = "n = 0\nfor i in range(30_000_000): n += i"


def golden() -> list[Path]:
    """Submissions as a class has them, save those that wait for a limit: right ones and common mistakes."""
    folders = sorted((ROOT / "tests" / "golden" / ASSIGNMENT).iterdir())
    kinds = ("right_", "wrong_", "fault_", "common_")
    found = [folder / f"{ASSIGNMENT}.py" for folder in folders if folder.name.startswith(kinds)]
    return [file for file in found if file.is_file() and runs_bare(file)]


def runs_bare(file: Path) -> bool:
    """Whether a plain process can run it: no stand-in for a missing package, no compiler that a worker does without."""
    text = file.read_text(encoding="utf-8", errors="replace")
    packages = set(re.findall(r"^\s*(?:import|from)\s+(\w+)", text, re.MULTILINE))
    return "torch.compile" not in text and all(find_spec(package) for package in packages)


def make_class(folder: Path, count: int) -> None:
    """``count`` folders, no two of the same bytes."""
    files = golden()
    for number in range(count):
        place = folder / f"s{number:04d}"
        place.mkdir(parents=True)
        text = files[number % len(files)].read_bytes()
        (place / f"{ASSIGNMENT}.py").write_bytes(text + f"\n# {number}\n".encode())


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of the command: how long, and the most memory of the process that holds the store and of any other."""

    seconds: float
    grader_mib: float
    largest_mib: float


def whole_command(count: int, jobs: int) -> Ran:
    """``grader batch`` from start to end."""
    with tempfile.TemporaryDirectory() as folder:
        make_class(Path(folder, "drop"), count)
        command = [sys.executable, "-m", "grader", "--course", str(ROOT), "batch", f"{folder}/drop", "-a", ASSIGNMENT,
                   "-o", f"{folder}/out", "--seed", str(SEED), "--jobs", str(jobs)]  # fmt: skip
        began, own, others = time.perf_counter(), 0.0, 0.0
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                own = max(own, _peak_mib(process.pid))
                others = max([others, *map(_peak_mib, _below(process.pid))])
                time.sleep(0.1)
        assert process.returncode in (0, 1), process.returncode
        seconds = time.perf_counter() - began
        rows = Path(folder, "out", "grades.csv").read_text(encoding="utf-8").count("\n") - 1
        assert rows == count, f"{rows} rows for {count}"
        return Ran(seconds, own, others)


def _below(pid: int) -> list[int]:
    """Children, and theirs."""
    found = []
    for task in Path("/proc", str(pid), "task").glob("*/children"):
        with suppress(OSError):
            found += [int(child) for child in task.read_text().split()]
    return [*found, *(deeper for child in found for deeper in _below(child))]


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


@contextmanager
def on_cores(cores: Sequence[int]) -> Iterator[None]:
    """Only these for us and for whom we start: a job is several processes, and takes what it gets."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def warm_seconds(count: int, files: Sequence[Path]) -> float:
    """Seconds for these submissions on ``count`` hosts that are warm already."""
    with PoolEngine("grader.opening:open_desk", CONFIG, count) as engine:
        list(engine.map([Job(str(file), ASSIGNMENT, SEED) for file in files[: 6 * count]]))
        began = time.perf_counter()
        list(engine.map([Job(str(file), ASSIGNMENT, SEED) for file in files]))
        return time.perf_counter() - began


def report(count: int = 200, *, large: bool = False) -> Iterator[str]:
    """The figures of a class, a line each, with the limit beside each that has one."""
    files = (golden() * (1 + count // len(golden())))[:count]
    cores = sorted(os.sched_getaffinity(0))
    floor = statistics.fmean(floor_seconds(ROOT, ASSIGNMENT, files, SEED))
    rounds = [(busy_gain(2), warm_seconds(1, files), warm_seconds(2, files)) for _ in range(_ROUNDS)]
    loops, one, two = (statistics.median(figures) for figures in zip(*rounds, strict=True))
    fresh = statistics.fmean(fresh_pytest(files[:: max(count // _SAMPLE, 1)][:_SAMPLE]))
    again = statistics.fmean(floor_seconds(ROOT, ASSIGNMENT, files, SEED))
    floor = (floor + again) / 2  # before and after: other work on the machine meets all alike
    yield f"  {_ROUNDS} rounds, medians"
    yield f"  warm, one job {1000 * one / count:.1f} ms each, two {1000 * two / count:.1f}; floor {1000 * floor:.1f} ms"
    yield "  two jobs, what a class gets from two cores unasked:"
    yield f"    two jobs / fork floor     {two / count / floor:6.2f}  (at most 3)"
    yield f"    fresh pytest / two jobs   {fresh / two * count:6.1f}  (at least 40; pytest {1000 * fresh:.0f} ms)"
    yield "  one job, up to two processes at work:"
    yield f"    one job / fork floor      {one / count / floor:6.2f}  (at most 3)"
    yield f"    fresh pytest / one job    {fresh / one * count:6.1f}"
    if len(cores) < 2:
        yield "  one core: what a second job gains cannot be measured here"
    else:
        with on_cores(cores[:1]):
            alone = warm_seconds(1, files)
        share, held = one / two / loops, alone / two / loops
        yield f"  two jobs gain {one / two:.2f}, two busy loops {loops:.2f}: {share:.2f} of it  (at least 0.85)"
        yield f"  against one job held to one core, {1000 * alone / count:.1f} ms each: {held:.2f} of it"
    small = whole_command(count, 2)
    yield f"  grader batch, {count}: {small.seconds:.1f} s from start to end, {1000 * small.seconds / count:.0f} ms"
    yield f"  memory: {small.grader_mib:.0f} MiB the grader, {small.largest_mib:.0f} MiB its largest process"
    if large:
        big = whole_command(10 * count, 2)
        yield f"  grader batch, {10 * count}: {big.seconds:.1f} s, {1000 * big.seconds / count / 10:.0f} ms each"
        yield f"  memory: {big.grader_mib:.0f} MiB the grader, {big.largest_mib:.0f} MiB its largest process (flat)"


def fresh_pytest(files: Sequence[Path]) -> list[float]:
    """Seconds of one pytest process a submission, everything in it; whether it passes or not."""
    taken = []
    for file in files:
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "bench.fresh_plugin", "-p", "no:cacheprovider", "--noconftest",
             "-c", os.devnull, "--rootdir", str(ROOT / "reference" / ASSIGNMENT), "--import-mode=importlib",
             str(ROOT / "reference" / ASSIGNMENT / "checks.py"), "--inline", str(file)],
            cwd=ROOT, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1"}, timeout=120,
        )  # fmt: skip
        taken.append(time.perf_counter() - began)
    return taken


def machine() -> str:
    """What the figures were taken on."""
    model = next((line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())  # fmt: skip
    load = os.getloadavg()[0]
    return f"{model}, {len(os.sched_getaffinity(0))} cores, Python {platform.python_version()}, load {load:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    print(f"machine: {machine()}")
    print(f"a class of {given.submissions} from the golden submissions of {ASSIGNMENT}:")
    for line in report(given.submissions, large=given.large):
        print(line, flush=True)


if __name__ == "__main__":
    main()
