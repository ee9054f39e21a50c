"""One grading process beside this one: it may import torch and fork, this one does neither."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self

from grader.errors import CourseError, GraderFault, UsageError, WallMissing
from grader.model import Job

_ERRORS = {cls.__name__: cls for cls in (CourseError, GraderFault, UsageError, WallMissing)}


class SerialEngine:
    """Starts ``python -m grader.engines.host WORK`` by exec and feeds it one job at a time.

    ``work`` is ``"package.module:function"``; called with ``config`` in the host, it gives an object with
    ``grade(job) -> dict``, ``fault(job, reason) -> dict`` and ``close()``.
    """

    def __init__(self, work: str, config: dict[str, Any]) -> None:
        ask_read, self._ask = os.pipe()
        self._reply, reply_write = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grader.engines.host", str(ask_read), str(reply_write)],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno() if _has_fileno(sys.stderr) else subprocess.DEVNULL,
            pass_fds=[ask_read, reply_write],
            env={**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
        os.close(ask_read)
        os.close(reply_write)
        self._lines = os.fdopen(self._reply, "r", encoding="utf-8")
        self._send({"work": work, "config": config})

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        """Raises what the host raises when it cannot start: ``CourseError``, ``UsageError``, ``GraderFault``."""
        for job in jobs:
            self._send({"job": asdict(job)})
            yield job, self._receive()

    def _send(self, message: dict[str, Any]) -> None:
        data = (json.dumps(message) + "\n").encode()
        try:
            while data:
                data = data[os.write(self._ask, data) :]
        except BrokenPipeError:
            pass  # the reason, if any, waits in the answer

    def _receive(self) -> dict[str, Any]:
        line = self._lines.readline()
        if not line:
            raise GraderFault(f"the grading process ended (exit code {self._process.wait()})")
        message = json.loads(line)
        if "error" in message:
            kind = _ERRORS.get(message["error"], GraderFault)
            raise kind(message["problems"] if kind is CourseError else message["text"])
        result: dict[str, Any] = message["result"]
        return result

    def close(self) -> None:
        os.close(self._ask)
        self._lines.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._process.kill()
        self.close()


def _has_fileno(stream: Any) -> bool:
    try:
        stream.fileno()
    except (AttributeError, OSError, ValueError):
        return False
    return True
