"""The fork backend: a zygote with torch imported, one forked worker per submission (Linux).

The zygote (``launch``) holds nothing of the grader's. A worker is asked for with its ends of four pipes; what comes
back is a pidfd, and on the answer pipe, before any question, the proof of its walls.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import statistics
import sys
import time
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from grader.errors import GraderFault, WallMissing
from grader.model.course import Limits
from grader.model.report import Isolation
from grader.rpc.frames import Frame, FrameReader
from grader.sandbox.conversation import Pipes, PipeSession
from grader.sandbox.effects import Examination, Proof, canaries, read_proof
from grader.sandbox.launch import Order, Zygote

_FORK_S = 20.0
_PROOF_CAP = 1 << 16


class ZygoteSandbox:
    """Forks workers from a warm process. Not safe for two users at once: one per grading process.

    ``guarded``: folders whose contents no worker may see; the proof tries them. ``practice``: go on where isolation
    is not proven; then nothing counts. ``leave_out`` and ``landlock_cap`` take walls away, to show what follows.
    ``zygote``: one already started, by the same order; it is this sandbox's from now on.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        guarded: Iterable[Path] = (),
        practice: bool = False,
        leave_out: Iterable[str] = (),
        landlock_cap: int | None = None,
        zygote: Zygote | None = None,
    ) -> None:
        self._guarded = tuple(guarded)
        self._practice = practice
        self._costs_ms: deque[float] = deque(maxlen=64)
        self._proof: Proof | None = None
        self._order = Order(dict(environment), tuple(leave_out), landlock_cap)
        self._zygote = zygote or Zygote(self._order)

    @property
    def pid(self) -> int:
        """The process all workers descend from."""
        return self._zygote.pid

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
        """Raises ``WallMissing`` where an effect is not proven, unless it is for practice.

        A zygote that is gone is replaced, and the new one's walls are proven anew.
        """
        if self._proof is not None and self._zygote.gone():
            self._begin_anew()
        proof = self._proof or self.prove()
        if proof.failed() and not self._practice:
            raise WallMissing(proof.refusal())

    def _begin_anew(self) -> None:
        self._zygote.close()
        self._proof = None
        self._zygote = Zygote(self._order)

    def prove(self) -> Proof:
        """The thorough proof, by a worker that never sees a submission. Raises ``GraderFault``, ``WallMissing``."""
        self._zygote.expect_start()
        with canaries(self._guarded) as targets:
            limits = Limits()
            pipes, _, pidfd = self._fork(limits, targets.targets())
            try:
                header = first_frame(pipes).header
            finally:
                PipeSession(pipes, limits, lambda: _kill(pidfd), lambda: "").close()
            self._proof = _read(header, targets.reached())
            return self._proof

    def open(self, limits: Limits) -> PipeSession:
        """Raises ``WallMissing`` where this very worker could not prove what the first one did."""
        self.ready()
        try:
            pipes, pid, pidfd = self._fork(limits, None)
        except GraderFault:  # it may be stuck, not gone: one more try with a fresh one
            self._begin_anew()
            self.ready()
            pipes, pid, pidfd = self._fork(limits, None)
        zygote = self._zygote
        session = PipeSession(pipes, limits, lambda: _kill(pidfd), lambda: zygote.ending_of(pid))
        try:
            proof = _read(first_frame(pipes).header)
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
        ours, theirs = pipes_of_a_worker()
        try:
            return ours, *self._zygote.fork(asked_of(limits, targets), theirs)
        except GraderFault:
            for fd in ours.all():
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)

    def close(self) -> None:
        self._zygote.close()


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


def asked_of(limits: Limits, targets: dict[str, Any] | None) -> dict[str, Any]:
    """What a worker is told of its limits, and what its proof is to try."""
    return {
        "memory_mib": limits.memory_mib,
        "threads": limits.threads,
        "cpu_s": math.ceil(2 * (limits.submission_s + limits.load_s)),
        "targets": targets,
    }


def pipes_of_a_worker() -> tuple[Pipes, list[int]]:
    """Four pipes: our ends, and the worker's ends in the order question, answer, stdout, stderr."""
    (qr, qw), (ar, aw), (outr, outw), (errr, errw) = (os.pipe() for _ in range(4))
    return Pipes(qw, ar, outr, errr), [qr, aw, outw, errw]


def first_frame(pipes: Pipes) -> Frame:
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
