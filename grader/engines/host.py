"""The grading process: warms up once, then forks a session process that grades job after job.

A session process that dies or hangs hands its job to a fresh one; a second failure is a fault of ours.
Reads JSON lines from one descriptor, writes them to another.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import sys
import traceback
from typing import Any, Protocol, TextIO

from grader.errors import CourseError, GraderError
from grader.model.submission import Job

_JOBS_PER_SESSION = 1000  # what it learnt of a class serves the whole class
_MARGIN_S = 30.0


class Work(Protocol):
    """What runs in a session process."""

    def grade(self, job: Job) -> dict[str, Any]: ...

    def fault(self, job: Job, reason: str) -> dict[str, Any]: ...

    def limit_s(self, job: Job) -> float: ...

    def ready(self) -> None: ...

    def renew(self) -> None: ...

    def close(self) -> None: ...


class NobodyAsks(Exception):
    """The process that would take the result is gone, or wants no more."""


class _Session:
    """A forked process that answers jobs until it is replaced."""

    def __init__(self, work: Work, not_its: tuple[int, ...] = ()) -> None:
        """``not_its``: descriptors it must not hold open, or nobody would see this process end."""
        ask_read, self._ask = os.pipe()
        self._reply, reply_write = os.pipe()
        self.done = 0
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._ask)
            os.close(self._reply)
            for descriptor in not_its:
                os.close(descriptor)
            _serve(work, os.fdopen(ask_read, "r"), reply_write)
        os.close(ask_read)
        os.close(reply_write)
        self._held = b""

    def grade(self, job: dict[str, Any], limit_s: float, asker: int | None = None) -> dict[str, Any] | None:
        """The result, or None where the process died or gave none in time.

        Raises `NobodyAsks` where the other end of the pipe ``asker`` is closed meanwhile.
        """
        try:
            os.write(self._ask, (json.dumps(job) + "\n").encode())
        except BrokenPipeError:
            return None
        poll = select.poll()
        poll.register(self._reply, select.POLLIN)
        if asker is not None:
            poll.register(asker, 0)  # no event but its end
        while b"\n" not in self._held:
            ready = [fd for fd, _ in poll.poll(1000 * limit_s)]
            if not ready:
                return None
            if self._reply not in ready:
                raise NobodyAsks
            data = os.read(self._reply, 1 << 20)
            if not data:
                return None
            self._held += data
        line, self._held = self._held.split(b"\n", 1)
        self.done += 1
        result: dict[str, Any] = json.loads(line)
        return result

    def end(self) -> None:
        os.close(self._ask)
        os.close(self._reply)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def _serve(work: Work, asks: TextIO, reply: int) -> None:
    """The session process. Never returns."""
    code = 0
    try:
        for line in asks:
            data = (json.dumps(work.grade(_job(json.loads(line)))) + "\n").encode()
            while data:
                data = data[os.write(reply, data) :]
    except BaseException:
        traceback.print_exc()
        code = 70
    os._exit(code)


def _job(raw: dict[str, Any]) -> Job:
    return Job(**{**raw, "students": tuple(raw["students"])})


class Host:
    """Hands jobs to session processes."""

    def __init__(self, work: Work, asker: int | None = None, reply: int | None = None) -> None:
        """``asker`` and ``reply``: the descriptors on which jobs come and results leave."""
        self._work = work
        self._asker = asker
        self._own = tuple(fd for fd in (asker, reply) if fd is not None)
        self._session: _Session | None = None

    def grade(self, raw: dict[str, Any]) -> dict[str, Any]:
        job = _job(raw)
        limit_s = self._work.limit_s(job) + _MARGIN_S  # warms what this job needs, once for all sessions
        for _ in range(2):
            if self._session is None:
                self._work.ready()
                gc.freeze()  # what all sessions share stays shared
                self._session = _Session(self._work, self._own)
            result = self._session.grade(raw, limit_s, self._asker)
            failed = result is None
            if failed or self._session.done >= _JOBS_PER_SESSION:
                self._session.end()
                self._session = None
            if result is not None:
                return result
            self._work.renew()
        return self._work.fault(job, "the process that graded this submission ended or hung, twice")

    def fault(self, raw: dict[str, Any], reason: str) -> dict[str, Any]:
        return self._work.fault(_job(raw), reason)

    def close(self) -> None:
        if self._session is not None:
            self._session.end()
        self._work.close()


def main(ask_fd: int, reply_fd: int) -> None:
    """Serve jobs until the other side closes; what cannot start is one error line."""
    gc.disable()  # what starting up makes is kept, so looking for garbage in it is time lost
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that holds the terminal decides
    os.set_inheritable(ask_fd, False)
    os.set_inheritable(reply_fd, False)
    asks = os.fdopen(ask_fd, "r", encoding="utf-8")
    replies = os.fdopen(reply_fd, "w", encoding="utf-8")
    start = json.loads(asks.readline() or "{}")
    if not start:
        return
    try:
        module, name = start["work"].split(":")
        host = Host(getattr(importlib.import_module(module), name)(start["config"]), ask_fd, reply_fd)
    except GraderError as wrong:
        _say(replies, _as_error(wrong))
        return
    gc.enable()
    try:
        for line in asks:
            try:
                asked = json.loads(line)
                reason = asked.get("fault")
                _say(replies, {"result": host.fault(asked["job"], reason) if reason else host.grade(asked["job"])})
            except GraderError as wrong:  # an assignment that cannot be graded with: an author's mistake
                _say(replies, _as_error(wrong))
    except (BrokenPipeError, NobodyAsks):
        pass
    finally:
        host.close()


def _as_error(wrong: GraderError) -> dict[str, Any]:
    problems = wrong.problems if isinstance(wrong, CourseError) else []
    return {"error": type(wrong).__name__, "problems": problems, "text": str(wrong)}


def _say(replies: TextIO, message: dict[str, Any]) -> None:
    replies.write(json.dumps(message) + "\n")
    replies.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # taking the interpreter and torch apart would cost a second, for nothing
