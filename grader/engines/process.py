"""One grading process beside this one: it may import torch and fork, this one does neither."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.errors import CourseError, GraderFault, UsageError, WallMissing
from grader.model.submission import Job

_ERRORS = {cls.__name__: cls for cls in (CourseError, GraderFault, UsageError, WallMissing)}
_THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}
_GOODBYE_S = 5.0


class HostEnded(GraderFault):
    """The grading process is gone and gave no answer."""


class HostProcess:
    """``python -m grader.engines.host``, started by exec, asked one thing at a time.

    ``work`` is ``"package.module:function"``; called with ``config`` in the host, it gives an object with
    ``grade(job) -> dict``, ``fault(job, reason) -> dict`` and ``close()``. The host leads a process group of its own:
    a terminal's Ctrl-C reaches this process alone, and `kill` leaves none of its sessions behind. It imports nothing
    from the working folder (``-P``): that may be where hand-ins lie.
    """

    def __init__(self, work: str, config: dict[str, Any], core: int | None = None) -> None:
        """``core``: the one that it and all it starts keep to."""
        ask_read, self._ask = os.pipe()
        reply, reply_write = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-m", "grader.engines.host", str(ask_read), str(reply_write)],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno() if _has_fileno(sys.stderr) else subprocess.DEVNULL,
            pass_fds=[ask_read, reply_write],
            env=_environment(),
            start_new_session=True,
        )
        os.close(ask_read)
        os.close(reply_write)
        if core is not None:
            with suppress(OSError):  # it is gone already, or the core is: it runs where it may
                os.sched_setaffinity(self._process.pid, {core})
        self._lines = os.fdopen(reply, "r", encoding="utf-8")
        self._ended = False
        self._send({"work": work, "config": config})

    def grade(self, job: Job) -> dict[str, Any]:
        """Raises what the host raises: ``CourseError``, ``UsageError``, ``WallMissing``; ``HostEnded`` if it ended."""
        self._send({"job": asdict(job)})
        return self._receive()

    def fault(self, job: Job, reason: str) -> dict[str, Any]:
        """The document of a job that our own side could not finish."""
        self._send({"job": asdict(job), "fault": reason})
        return self._receive()

    def _send(self, message: dict[str, Any]) -> None:
        data = (json.dumps(message) + "\n").encode()
        with suppress(BrokenPipeError):  # the reason, if any, waits in the answer
            while data:
                data = data[os.write(self._ask, data) :]

    def _receive(self) -> dict[str, Any]:
        line = self._lines.readline()
        if not line.endswith("\n"):
            raise HostEnded("the grading process ended before it gave an answer")
        message = json.loads(line)
        if "error" in message:
            kind = _ERRORS.get(message["error"], GraderFault)
            raise kind(message["problems"] if kind is CourseError else message["text"])
        result: dict[str, Any] = message["result"]
        return result

    def hang_up(self) -> None:
        """Tell it that nobody will ask again; it then ends by itself, also in the midst of a job."""
        if self._ask >= 0:
            os.close(self._ask)
            self._ask = -1

    def close(self) -> None:
        """Gone when this returns: by itself, else by force."""
        self.hang_up()
        try:
            self._process.wait(timeout=_GOODBYE_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self._ended = True
        self._lines.close()

    def kill(self) -> None:
        """End it and its session processes at once; what its sandbox started ends with them."""
        if not self._ended:
            self._ended = True
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self.hang_up()


def _environment() -> dict[str, str]:
    """Ours, and where this program lies: ``-P`` keeps the working folder, which may be a student's, out of imports."""
    places = [str(Path(__file__).resolve().parents[2])] if Path.cwd() == Path(__file__).resolve().parents[2] else []
    places += [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(place)]
    return {**os.environ, **_THREADS, "PYTHONPATH": os.pathsep.join(places)}


def _has_fileno(stream: Any) -> bool:
    try:
        stream.fileno()
    except (AttributeError, OSError, ValueError):
        return False
    return True
