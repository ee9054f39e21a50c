"""The fork backend: a zygote with torch imported, one forked worker per submission (Linux).

The zygote is started by exec with a cleared environment and holds nothing of the grader's. A worker is
asked for over a socket that carries the worker's ends of four pipes; what comes back is a pidfd.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grader
from grader.errors import GraderFault
from grader.model import Isolation, Limits
from grader.sandbox.conversation import Pipes, PipeSession

_START = "import sys; sys.path[:0] = {paths!r}; from grader.worker.zygote import main; main({fd}, {drop!r})"
_READY_S = 120.0
_FORK_S = 20.0


def library_paths() -> list[str]:
    """Where the worker may import from: the standard library and the installed packages, no more."""
    scheme = sysconfig.get_paths()
    stdlib = [scheme["stdlib"], scheme["platstdlib"], str(Path(scheme["stdlib"]) / "lib-dynload")]
    return list(dict.fromkeys([*stdlib, scheme["purelib"], scheme["platlib"]]))


class ZygoteSandbox:
    """Forks workers from a warm process. Not safe for two users at once: one per grading process."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        room = str(Path(grader.__file__).parent.parent)
        paths = [*library_paths(), room]
        start = _START.format(paths=paths, fd=theirs.fileno(), drop=room)
        threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", start],
                env={**environment, **threads, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._control = ours
        self._ready = False

    @property
    def isolation(self) -> Isolation:
        return Isolation("practice", ("process", "rlimits"))

    def ready(self) -> None:
        if not self._ready:
            self._answer(_READY_S)
            self._ready = True

    def open(self, limits: Limits) -> PipeSession:
        self.ready()
        ours, theirs = _pipes()
        request = json.dumps({"fork": {"memory_mib": limits.memory_mib}}).encode()
        try:
            socket.send_fds(self._control, [request], theirs)
            answer, fds = self._answer(_FORK_S)
        except OSError as broken:
            raise GraderFault(f"the zygote is gone: {broken}") from broken
        finally:
            for fd in theirs:
                os.close(fd)
        if "pid" not in answer or len(fds) != 1:
            raise GraderFault(f"the zygote could not start a worker: {answer.get('error', 'no reason given')}")
        pid, pidfd = int(answer["pid"]), fds[0]
        return PipeSession(ours, limits, lambda: _kill(pidfd), lambda: self._ending(pid))

    def _ending(self, pid: int) -> str:
        """How a worker that closed its pipes came to its end, in words."""
        try:
            self._control.send(json.dumps({"end": pid}).encode())
            status = self._answer(_FORK_S)[0].get("status")
        except (OSError, GraderFault):
            status = None
        return describe_ending(status if isinstance(status, int) else None)

    def _answer(self, limit_s: float) -> tuple[dict[str, Any], list[int]]:
        self._control.settimeout(limit_s)
        try:
            data, fds, _, _ = socket.recv_fds(self._control, 1 << 16, 4)
        except OSError as broken:
            raise GraderFault(f"the zygote gave no answer: {broken}") from broken
        if not data:
            raise GraderFault("the zygote ended")
        answer: dict[str, Any] = json.loads(data)
        return answer, fds

    def close(self) -> None:
        self._control.close()
        self._process.kill()
        self._process.wait()


def describe_ending(status: int | None) -> str:
    """A wait status in words for a learner."""
    if status is None:
        return "its process ended"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        names = {signal.SIGSEGV: "a memory access error (segmentation fault)", signal.SIGABRT: "an abort"}
        return f"its process crashed with {names.get(number, signal.Signals(number).name)}"  # type: ignore[call-overload]
    return f"its process ended itself with exit code {os.WEXITSTATUS(status)}"


def _pipes() -> tuple[Pipes, list[int]]:
    """Four pipes: our ends, and the worker's ends in the order question, answer, stdout, stderr."""
    (qr, qw), (ar, aw), (outr, outw), (errr, errw) = (os.pipe() for _ in range(4))
    return Pipes(qw, ar, outr, errr), [qr, aw, outw, errw]


def _kill(pidfd: int) -> None:
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    except ProcessLookupError:
        pass
    finally:
        os.close(pidfd)
