"""Several hosts: whatever one of them meets, every job gets its result and no process stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.engines.capacity import HOST_MIB, cores_for, fitting, free_mib, usable_cores
from grader.engines.pool import PoolEngine
from grader.errors import GraderFault, WallMissing
from grader.model.submission import Job

ROOT = Path(__file__).resolve().parent.parent.parent
WORK = "tests.engines.plain_work:open_work"
Open = Callable[[int], PoolEngine]


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return lambda count: PoolEngine(WORK, {"room": str(tmp_path)}, count)


def jobs(*paths: str) -> list[Job]:
    return [Job(path, "a", 1) for path in paths]


def answers(engine: PoolEngine, *paths: str) -> dict[str, dict[str, Any]]:
    return {job.path: result for job, result in engine.map(jobs(*paths))}


def is_running(pid: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def ended(*pids: int) -> bool:
    """Waits for each to end; true in all but the worst case at once."""
    for pid in pids:
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        import select

        gone = bool(select.select([handle], [], [], 20)[0])
        os.close(handle)
        if not gone:
            return False
    return True


def test_two_jobs_are_at_work_at_the_same_time(pool: Open) -> None:
    with pool(2) as engine:
        told = answers(engine, "meets:1", "meets:2")
    assert told["meets:1"]["by"] != told["meets:2"]["by"]


def test_as_many_hosts_as_cores_keep_to_one_each_and_fewer_run_where_they_may(pool: Open) -> None:
    cores = sorted(os.sched_getaffinity(0))
    assert cores_for(len(cores) + 1) == [None] * (len(cores) + 1)
    assert cores_for(1) == [None]
    if len(cores) < 2:
        pytest.skip("one core")
    with pool(len(cores)) as engine:
        kept = [result["cores"] for result in answers(engine, "meets:1", "meets:2", "x").values()]
        assert all(len(each) == 1 for each in kept) and len({each[0] for each in kept}) > 1
    with pool(1) as engine:
        assert answers(engine, "x")["x"]["cores"] == cores


def test_a_job_that_hangs_holds_nobody_else_up(pool: Open, tmp_path: Path) -> None:
    with pool(2) as engine:
        coming = engine.map(jobs("hangs", *(f"x{n}" for n in range(20))))
        came = [next(coming)[0].path for _ in range(20)]
        assert sorted(came) == sorted(f"x{n}" for n in range(20))
        while not (tmp_path / "hanging").exists() or not (tmp_path / "hanging").read_text():
            os.sched_yield()  # its host may have started last
        engine._end(by_force=True)
    pids = [int(pid) for pid in (tmp_path / "hanging").read_text().split()]
    assert ended(*pids)


def test_a_host_that_ends_is_replaced_and_its_job_tried_once_more(pool: Open) -> None:
    with pool(2) as engine:
        told = answers(engine, "x", "fells_once", "y", "fells", "z")
    assert {path: result.get("graded") for path, result in told.items()} == {
        "x": "x", "fells_once": "fells_once", "y": "y", "fells": None, "z": "z"
    }  # fmt: skip
    assert told["fells"] == {"fault": "fells", "reason": "the process that graded this submission ended, twice"}


def test_a_host_that_cannot_start_is_tried_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with PoolEngine(WORK, {"room": str(tmp_path), "bad_starts": 1}, 1) as engine:
        assert set(answers(engine, "x", "y")) == {"x", "y"}
    for marker in tmp_path.glob("bad_start_*"):
        marker.unlink()
    with (
        pytest.raises(GraderFault, match="did not start"),
        PoolEngine(WORK, {"room": str(tmp_path), "bad_starts": 2}, 1) as engine,
    ):
        answers(engine, "x", "y")


def test_what_a_host_raises_is_raised_here(pool: Open) -> None:
    with pytest.raises(WallMissing, match="no walls here"), pool(2) as engine:
        answers(engine, "x", "no_walls", *(f"y{n}" for n in range(50)))


ASKER = """
import sys
from grader.engines.pool import PoolEngine
from grader.model.submission import Job
with PoolEngine({work!r}, {{"room": {room!r}}}, 1) as engine:
    for job, result in engine.map([Job("x", "a", 1), Job("hangs", "a", 1)]):
        print("one", flush=True)
"""


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_the_one_that_asked(tmp_path: Path, sign: signal.Signals) -> None:
    script = ASKER.format(work=WORK, room=str(tmp_path))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment, start_new_session=True) as asker:  # fmt: skip
        assert asker.stdout is not None
        assert asker.stdout.readline() == b"one\n"
        while not (tmp_path / "hanging").exists() or not (tmp_path / "hanging").read_text():
            os.sched_yield()
        os.killpg(asker.pid, sign)
        host, session = (int(pid) for pid in (tmp_path / "hanging").read_text().split())
        asker.wait()
    assert asker.returncode != 0
    assert ended(host, session)


class TestCapacity:
    @pytest.mark.parametrize(
        ("cores", "mib", "expected"),
        [(8, None, 8), (8, 100 * HOST_MIB, 8), (8, 3 * HOST_MIB + 1, 3), (8, 10, 1), (1, 99_000, 1)],
    )
    def test_one_a_core_as_far_as_memory_goes(self, cores: int, mib: int | None, expected: int) -> None:
        assert fitting(cores, mib) == expected

    def test_a_container_has_its_share(self, tmp_path: Path) -> None:
        (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    8388608 kB\n")
        assert free_mib(tmp_path / "meminfo", tmp_path) == 8192
        (tmp_path / "memory.max").write_text("3221225472\n")
        (tmp_path / "memory.current").write_text("1073741824\n")
        assert free_mib(tmp_path / "meminfo", tmp_path) == 2048
        (tmp_path / "memory.max").write_text("max\n")
        assert free_mib(tmp_path / "meminfo", tmp_path) == 8192
        assert free_mib(tmp_path / "none", tmp_path / "none") is None
        (tmp_path / "cpu.max").write_text("100000 100000\n")
        assert usable_cores(tmp_path) == 1
        (tmp_path / "cpu.max").write_text("max 100000\n")
        assert usable_cores(tmp_path) == len(os.sched_getaffinity(0))


def test_hosts_wait_for_whoever_takes_their_results(pool: Open, tmp_path: Path) -> None:
    """Else a class of thousands would pile up in the memory of a slow reader."""
    with pool(1) as engine:
        coming = engine.map(jobs(*(f"leaves:{n}" for n in range(30))))
        next(coming)
        while len(list(tmp_path.glob("leaves:*"))) < 5:
            os.sched_yield()
        first = len(list(tmp_path.glob("leaves:*")))
        assert first <= 7  # one taken, four waiting, two in hand or on the way
        assert len(list(coming)) == 29
