"""Work for engines that needs no torch: what a job's path says is what happens."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from grader.errors import GraderFault, WallMissing
from grader.model.submission import Job


class PlainWork:
    """``falls``: the session dies; ``fells``: so does its host, the first time or always; ``hangs``: sleeps."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._room = Path(config["room"])

    def grade(self, job: Job) -> dict[str, Any]:
        kind = job.path.partition(":")[0]
        if kind == "meets":  # answers when as many are here as it says
            self._meet(job)
        elif kind in ("fells", "fells_once") and self._strikes(job):
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(60)
        elif kind == "hangs":
            (self._room / "hanging").write_text(f"{os.getppid()} {os.getpid()}")
            time.sleep(300)
        elif kind == "leaves":  # a sign that it was here
            (self._room / job.path).touch()
        elif kind == "refuses":
            raise SystemExit(0)
        return {"graded": job.path, "by": os.getppid(), "cores": sorted(os.sched_getaffinity(0))}

    def _strikes(self, job: Job) -> bool:
        marker = self._room / job.path
        first = not marker.exists()
        marker.touch()
        return first or job.path == "fells"

    def _meet(self, job: Job) -> None:
        (self._room / job.path).touch()
        deadline = time.monotonic() + 30
        while len(list(self._room.glob("meets:*"))) < 2 and time.monotonic() < deadline:
            os.sched_yield()

    def fault(self, job: Job, reason: str) -> dict[str, Any]:
        return {"fault": job.path, "reason": reason}

    def limit_s(self, job: Job) -> float:
        if job.path == "no_walls":
            raise WallMissing("no walls here")
        return 300.0

    def ready(self) -> None:
        """Nothing to wait for."""

    renew = close = ready


def open_work(config: dict[str, Any]) -> PlainWork:
    for number in range(config.get("bad_starts", 0)):
        marker = Path(config["room"]) / f"bad_start_{number}"
        if not marker.exists():
            marker.touch()
            raise GraderFault("its zygote did not start")
    return PlainWork(config)
