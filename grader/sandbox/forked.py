"""Workers forked from this very process, which has torch imported: the quick way for a student's own run (Linux).

What stands between is less than with a zygote, and is never more than practice; every limit holds.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
from typing import Any

from grader.errors import GraderFault, WallMissing
from grader.model.course import Limits
from grader.model.report import Isolation
from grader.sandbox.conversation import Pipes, PipeSession
from grader.sandbox.launch import describe_ending, library_paths, readable_paths
from grader.sandbox.zygote import asked_of, first_frame, pipes_of_a_worker


class ForkSandbox:
    """Forks a worker for each submission. Its maker, and everything it was forked from, has one thread."""

    def __init__(self) -> None:
        self._imports = library_paths()
        self._enclosure: Any = None
        self._walls: tuple[str, ...] = ()

    @property
    def isolation(self) -> Isolation:
        return Isolation("practice", self._walls)

    def ready(self) -> None:
        """Import what the workers need; here, so that all of them have it."""
        if self._enclosure is None:
            plan = {
                "room": "",
                "readable": readable_paths({}),
                "own": [],
                "leave_out": [],
                "landlock_cap": None,
            }
            self._enclosure = _inside().prepare(plan)

    def open(self, limits: Limits) -> PipeSession:
        self.ready()
        ours, theirs = pipes_of_a_worker()
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError as failed:
            for fd in (*ours.all(), *theirs):
                os.close(fd)
            raise GraderFault(f"no worker could be started: {failed}") from failed
        if pid == 0:
            _inside().begin(self._enclosure, parent, asked_of(limits, None), theirs, self._imports)
        for fd in theirs:
            os.close(fd)
        worker = _Child(pid)
        session = PipeSession(ours, limits, worker.kill, worker.ending)
        try:
            self._walls = _walls(ours)
        except BaseException:
            session.close()
            raise
        return session

    def close(self) -> None:
        """Workers end with their sessions; nothing else was started."""


class _Child:
    """A forked worker: killed and reaped once."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._status: int | None = None
        self._reaped = False

    def kill(self) -> None:
        if not self._reaped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._reap()

    def ending(self) -> str:
        """Asked when its pipes are closed. One that only closed them is ended."""
        if not self._reaped and not self._ended_by_itself():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._reap()
        return describe_ending(self._status)

    def _ended_by_itself(self) -> bool:
        """A dying process needs a moment."""
        import select

        pidfd = os.pidfd_open(self._pid)
        try:
            if not select.select([pidfd], [], [], 2.0)[0]:
                return False
        finally:
            os.close(pidfd)
        self._reap()
        return True

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            _, self._status = os.waitpid(self._pid, 0)
        self._reaped = True


def _inside() -> Any:
    """The part that runs beside the student's code; here it is imported, as this process becomes it by forking."""
    return importlib.import_module("grader.worker.forked")


def _walls(pipes: Pipes) -> tuple[str, ...]:
    proof = first_frame(pipes).header.get("proof")
    walls = proof.get("walls") if isinstance(proof, dict) else None
    if not isinstance(walls, list):
        raise WallMissing("a worker's report of its walls cannot be read")
    return tuple(str(wall) for wall in walls)
