"""An engine for machines without fork, or without the walls: one spare interpreter a job, the next one kept warm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Final, Self

from grader.errors import CourseError, GraderFault, UsageError
from grader.model.submission import Job
from grader.practice.lost import HANGS, Lost

_ERRORS = {cls.__name__: cls for cls in (CourseError, UsageError)}
_THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}
_START_S: Final = 120.0  # torch is large, and some disks are slow
_LOST: Final = 12  # interpreters that one submission may cost
_CLOSING_S: Final = 5.0


class SpareEngine:
    """``config`` holds ``course``. ``stay``: more jobs will come, so that the next interpreter warms up meanwhile."""

    def __init__(self, config: dict[str, Any], *, stay: bool) -> None:
        self._course, self._stay = str(config["course"]), stay
        self._spare: _Spare | None = _Spare(self._course)

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        """In the order given. Raises ``CourseError``, ``UsageError``, ``GraderFault``."""
        for job in jobs:
            result = self._graded(job)
            if self._stay:
                self._spare = _Spare(self._course)
            yield job, result

    def _graded(self, job: Job) -> dict[str, Any]:
        """What hangs or ends an interpreter is left out by the next, as often as something new does."""
        lost = Lost()
        for _ in range(_LOST):
            spare, self._spare = self._spare or _Spare(self._course), None
            try:
                result = spare.answer(job, lost)
            finally:
                spare.end()
            if result is not None:
                return result
        raise GraderFault("the interpreter that checks this file ended or hung again and again")

    def close(self) -> None:
        if self._spare is not None:
            self._spare.end()
            self._spare = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Spare:
    """One interpreter, from its start to its only answer."""

    def __init__(self, course: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-m", "grader.practice.spare"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_THREADS, "PYTHONIOENCODING": "utf-8"},
        )
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="spare", daemon=True)
        self._reader.start()
        self._say({"course": course})

    def answer(self, job: Job, lost: Lost) -> dict[str, Any] | None:
        """The document; None where it was lost on the way, which ``lost`` then holds."""
        self._say({"job": asdict(job), "lost": lost.plain()})
        at, limit = None, _START_S
        while True:
            began = time.monotonic()
            try:
                line = self._lines.get(timeout=limit)
            except Empty:
                _leave_out(lost, at, HANGS, f"no answer for {time.monotonic() - began:.0f} s")
                return None
            if not line:
                ending = _ending(self._process.wait(timeout=_CLOSING_S))
                _leave_out(lost, at, ending, ending)
                return None
            message = json.loads(line)
            if "result" in message:
                document: dict[str, Any] = message["result"]
                return document
            if "error" in message:
                kind = _ERRORS.get(message["error"], GraderFault)
                raise kind(message["problems"] if kind is CourseError else message["text"])
            at = message["at"]
            limit = at["limit_s"]

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # the reason, if any, waits in the answer
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def end(self) -> None:
        """Gone when this returns."""
        self._process.kill()
        self._process.wait()
        self._reader.join(timeout=_CLOSING_S)
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError, AttributeError):
                stream.close()  # type: ignore[union-attr]


def _leave_out(lost: Lost, at: dict[str, Any] | None, how: str, why: str) -> None:
    """Raises ``GraderFault`` where the same was left out already: then the student's code is not to blame."""
    if not lost.note(at, how):
        raise GraderFault(f"the interpreter that checks this file gave no answer: {why}")


def _ending(code: int) -> str:
    """How a process ended, in words for a learner."""
    if code in (-11, 0xC0000005, -1073741819):
        return "its process crashed with a memory access error (segmentation fault)"
    return (
        f"its process ended itself with exit code {code}" if code >= 0 else f"its process was ended by signal {-code}"
    )
