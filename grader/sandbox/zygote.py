"""The fork backend: a zygote with torch imported, one forked worker per submission (Linux).

The zygote is started by exec with a cleared environment and holds nothing of the grader's. A worker is
asked for over a socket that carries the worker's ends of four pipes; what comes back is a pidfd, and on the
answer pipe, before any question, the proof of its walls.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import socket
import statistics
import subprocess
import sys
import sysconfig
import time
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import grader
from grader.errors import GraderFault, WallMissing
from grader.model import Isolation, Limits
from grader.rpc.frames import Frame, FrameReader
from grader.sandbox.conversation import Pipes, PipeSession
from grader.sandbox.effects import Examination, Proof, canaries, read_proof

_START = "import sys; sys.path[:0] = {paths!r}; from grader.worker.zygote import main; main({fd}, {plan!r})"
_READY_S = 120.0
_FORK_S = 20.0
_PROOF_CAP = 1 << 16
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")
_OF_THE_GRADER = ("__init__.py", "worker", "rpc")  # what the zygote imports


def library_paths() -> list[str]:
    """Where the worker may import from: the standard library and the installed packages, no more."""
    scheme = sysconfig.get_paths()
    stdlib = [scheme["stdlib"], scheme["platstdlib"], str(Path(scheme["stdlib"]) / "lib-dynload")]
    return list(dict.fromkeys([*stdlib, scheme["purelib"], scheme["platlib"]]))


def readable_paths(environment: Mapping[str, str]) -> list[str]:
    """What the worker may read: where it imports from, and where the libraries of those modules lie."""
    given = [path for path in environment.get("LD_LIBRARY_PATH", "").split(os.pathsep) if os.path.isabs(path)]
    wanted = [*library_paths(), str(sysconfig.get_config_var("LIBDIR") or "/usr/lib"), *given, *_SYSTEM]
    return [path for path in dict.fromkeys(wanted) if os.path.exists(path)]


class ZygoteSandbox:
    """Forks workers from a warm process. Not safe for two users at once: one per grading process.

    ``guarded``: folders whose contents no worker may see; the proof tries them. ``practice``: go on where isolation
    is not proven; then nothing counts. ``leave_out`` and ``landlock_cap`` take walls away, to show what follows.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        guarded: Iterable[Path] = (),
        practice: bool = False,
        leave_out: Iterable[str] = (),
        landlock_cap: int | None = None,
    ) -> None:
        self._guarded = tuple(guarded)
        self._practice = practice
        self._started = False
        self._costs_ms: deque[float] = deque(maxlen=64)
        self._proof: Proof | None = None
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        room = Path(grader.__file__).parent.parent
        imports = library_paths()
        plan = {
            "room": "" if str(room) in imports else str(room),
            "readable": readable_paths(environment),
            "own": [str(room / "grader" / name) for name in _OF_THE_GRADER],
            "leave_out": sorted(leave_out),
            "landlock_cap": landlock_cap,
        }
        start = _START.format(paths=[*imports, str(room)], fd=theirs.fileno(), plan=plan)
        threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", start],
                env={**environment, **threads, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._control = ours

    @property
    def isolation(self) -> Isolation:
        """Isolated only where every effect was proven and nobody asked for practice."""
        with contextlib.suppress(GraderFault):
            self.ready()
        if self._proof is None:
            return Isolation()
        level = "practice" if self._practice or self._proof.failed() else "isolated"
        return Isolation(level, self._proof.walls, tuple(effect.id for effect in self._proof.proven()))

    def ready(self) -> None:
        """Raises ``WallMissing`` where an effect is not proven, unless it is for practice."""
        proof = self._proof or self.prove()
        if proof.failed() and not self._practice:
            raise WallMissing(proof.refusal())

    def prove(self) -> Proof:
        """The thorough proof, by a worker that never sees a submission. Raises ``GraderFault``, ``WallMissing``."""
        self._expect_start()
        with canaries(self._guarded) as targets:
            limits = Limits()
            pipes, _, pidfd = self._fork(limits, targets.targets())
            try:
                header = _first_frame(pipes).header
            finally:
                PipeSession(pipes, limits, lambda: _kill(pidfd), lambda: "").close()
            self._proof = _read(header, targets.reached())
            return self._proof

    def _expect_start(self) -> None:
        if not self._started:
            answer = self._answer(_READY_S)[0]
            if "fatal" in answer:
                raise WallMissing(f"isolation could not be set up, so no submission was run: {answer['fatal']}")
            self._started = True

    def open(self, limits: Limits) -> PipeSession:
        """Raises ``WallMissing`` where this very worker could not prove what the first one did."""
        self.ready()
        pipes, pid, pidfd = self._fork(limits, None)
        session = PipeSession(pipes, limits, lambda: _kill(pidfd), lambda: self._ending(pid))
        try:
            proof = _read(_first_frame(pipes).header)
            self._costs_ms.append(proof.ms)
            self._compare(proof)
        except BaseException:
            session.close()
            raise
        return session

    @property
    def wall_ms(self) -> float:
        """What putting the walls up and proving them cost the latest workers: the median, in milliseconds."""
        return statistics.median(self._costs_ms)

    def _compare(self, proof: Proof) -> None:
        if self._practice or self._proof is None:
            return
        if proof.failed():
            raise WallMissing(proof.refusal())
        if proof.walls != self._proof.walls:
            lost = ", ".join(sorted(set(self._proof.walls) - set(proof.walls)))
            raise WallMissing(f"a worker could not put up what others could: {lost}")

    def _fork(self, limits: Limits, targets: dict[str, Any] | None) -> tuple[Pipes, int, int]:
        """A new worker: our ends of its pipes, its process id (as the zygote counts) and its pidfd."""
        ours, theirs = _pipes()
        asked = {
            "memory_mib": limits.memory_mib,
            "threads": limits.threads,
            "cpu_s": math.ceil(2 * (limits.submission_s + limits.load_s)),
            "targets": targets,
        }
        try:
            socket.send_fds(self._control, [json.dumps({"fork": asked}).encode()], theirs)
            answer, fds = self._answer(_FORK_S)
        except OSError as broken:
            raise GraderFault(f"the zygote is gone: {broken}") from broken
        finally:
            for fd in theirs:
                os.close(fd)
        if "pid" not in answer or len(fds) != 1:
            raise GraderFault(f"the zygote could not start a worker: {answer.get('error', 'no reason given')}")
        return ours, int(answer["pid"]), fds[0]

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


def examine(environment: Mapping[str, str], guarded: Iterable[Path]) -> Examination:
    """What this machine can prove. Raises ``GraderFault`` or ``WallMissing`` where not even a zygote starts."""
    if sys.platform != "linux":
        raise WallMissing(f"there are no walls for {sys.platform}")
    sandbox = ZygoteSandbox(environment, guarded=guarded, practice=True)
    try:
        proof = sandbox.prove()
        for _ in range(9):
            sandbox.open(Limits()).close()
        return Examination(proof, sandbox.wall_ms)
    finally:
        sandbox.close()


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


def _first_frame(pipes: Pipes) -> Frame:
    """What a worker says unasked, before it reads. Raises ``WallMissing`` where it ends or stays silent instead."""
    reader = FrameReader(_PROOF_CAP, _PROOF_CAP)
    last = time.monotonic() + _FORK_S
    while (frame := reader.next()) is None:
        if not select.select([pipes.answer], [], [], max(0.0, last - time.monotonic()))[0]:
            raise WallMissing("a worker did not say in time whether its walls hold")
        data = os.read(pipes.answer, 1 << 16)
        if not data:
            said = os.read(pipes.stderr, 1 << 12).decode(errors="replace").strip().rpartition("\n")[2]
            raise WallMissing(f"a worker ended before its walls were proven: {said or 'no reason given'}")
        reader.feed(data)
    return frame


def _read(header: Mapping[str, Any], reached: Iterable[tuple[str, str]] = ()) -> Proof:
    try:
        return read_proof(header, tuple(reached))
    except (KeyError, TypeError, ValueError) as wrong:
        raise WallMissing(f"a worker's report of its walls cannot be read: {wrong!r}") from None


def _kill(pidfd: int) -> None:
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    except ProcessLookupError:
        pass
    finally:
        os.close(pidfd)
