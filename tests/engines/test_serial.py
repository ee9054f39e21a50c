"""The engine's promises: every job gets its result, whatever happens to the processes that grade."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from grader.engines import host
from grader.engines.serial import SerialEngine
from grader.errors import CourseError, UsageError
from grader.model.submission import Job

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIG = {"course": str(ROOT), "reference": None, "environment": {}}
RIGHT = ROOT / "tests" / "golden" / "causal_mask" / "right_arange_compare" / "causal_mask.py"


def job(path: Path, name: str = "causal_mask") -> Job:
    return Job(str(path), name, 11)


def test_one_process_grades_job_after_job() -> None:
    with SerialEngine("grader.opening:open_desk", CONFIG) as engine:
        scores = [document["score"] for _, document in engine.map([job(RIGHT)] * 3)]
        with pytest.raises(UsageError, match="causal_mask"):
            list(engine.map([job(RIGHT, "nothing_like_it")]))
        ((_, document),) = engine.map([job(RIGHT)])
    assert scores == [12.0] * 3
    assert document["status"] == "graded"  # the next job after one that could not be


def test_checks_that_cannot_be_collected_are_reported_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "assignments").symlink_to(ROOT / "assignments")
    for name in os.listdir(ROOT / "reference"):
        if name != "causal_mask":
            (tmp_path / "reference").mkdir(exist_ok=True)
            (tmp_path / "reference" / name).symlink_to(ROOT / "reference" / name)
    broken = tmp_path / "reference" / "causal_mask"
    broken.mkdir()
    broken.joinpath("solution.py").write_text((ROOT / "reference/causal_mask/solution.py").read_text())
    broken.joinpath("checks.py").write_text("def test_it(student):\n    pass\n")
    broken_course = {**CONFIG, "course": str(tmp_path)}
    with (
        SerialEngine("grader.opening:open_desk", broken_course) as engine,
        pytest.raises(CourseError, match=r"checks\.py:1.*criterion"),
    ):
        list(engine.map([job(RIGHT)]))


class Falling:
    """Work whose session process dies on one job, always or only at first."""

    def __init__(self, marker: Path, always: bool) -> None:
        self._marker, self._always = marker, always

    def grade(self, job: Job) -> dict[str, Any]:
        if job.path == "falls" and (self._always or not self._marker.exists()):
            self._marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"graded": job.path, "by": os.getpid()}

    def fault(self, job: Job, reason: str) -> dict[str, Any]:
        return {"fault": job.path}

    def limit_s(self, job: Job) -> float:
        return 5.0

    def ready(self) -> None:
        """Nothing to wait for."""

    renew = close = ready


@pytest.mark.parametrize(("always", "expected"), [(False, {"graded": "falls"}), (True, {"fault": "falls"})])
def test_a_session_that_dies_hands_its_job_to_a_fresh_one_once(
    tmp_path: Path, always: bool, expected: dict[str, str]
) -> None:
    at_work = host.Host(Falling(tmp_path / "fell", always))
    raw = [
        json.loads(json.dumps({"path": p, "assignment": "a", "seed": 1, "students": []})) for p in ("x", "falls", "y")
    ]
    results = [at_work.grade(each) for each in raw]
    at_work.close()
    assert [{k: v for k, v in r.items() if k != "by"} for r in results] == [{"graded": "x"}, expected, {"graded": "y"}]


def test_a_planned_replacement_of_the_session_process_goes_unnoticed(tmp_path: Path) -> None:
    at_work = host.Host(Falling(tmp_path / "never", always=False))
    names = [f"job {number}" for number in range(2 * host._JOBS_PER_SESSION + 3)]
    results = [at_work.grade({"path": name, "assignment": "a", "seed": 1, "students": []}) for name in names]
    at_work.close()
    assert [result["graded"] for result in results] == names
    assert len({result["by"] for result in results}) == 3
