"""One worker's pipes: questions out, events and answers in, its prints drained all the while."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.model.course import Limits
from grader.model.submission import Output
from grader.rpc.frames import Frame, FrameReader, OverLimit, numbered
from grader.rpc.values import ProtocolError
from grader.sandbox import SessionEnded, SessionTimedOut
from grader.sandbox.capture import Capture

_GATHERED_CAP = 4 << 20  # bytes of answers that are had together; honest ones come to a hundredth
_EVENT_CAP = 20_000  # events in one answer; a submission has far fewer statements


@dataclass(frozen=True, slots=True)
class Pipes:
    """The grader's ends of a worker's four pipes."""

    question: int
    answer: int
    stdout: int
    stderr: int

    def all(self) -> tuple[int, int, int, int]:
        return self.question, self.answer, self.stdout, self.stderr


class PipeSession:
    """A ``Session`` over pipes; how the worker is killed and how it ended come from its backend."""

    def __init__(self, pipes: Pipes, limits: Limits, kill: Callable[[], None], verdict: Callable[[], str]) -> None:
        self._pipes = pipes
        self._kill = kill
        self._how = verdict
        self._reader = FrameReader(limits.frame_mib << 20)
        self._early_cap = 2 * limits.frame_mib << 20
        cap = limits.output_kib << 10
        self._prints = {pipes.stdout: Capture(cap), pipes.stderr: Capture(cap)}
        self._poll = select.poll()
        for fd in pipes.all():
            os.set_blocking(fd, False)
        for fd in (pipes.answer, pipes.stdout, pipes.stderr):
            self._poll.register(fd, select.POLLIN)
        self._unsent = bytearray()
        self._asked = 0
        self._answered = 0
        self._early: dict[int, Frame] = {}  # came, and may be asked for yet
        self._ending: SessionTimedOut | SessionEnded | None = None  # seen while gathering, and not told yet
        self._closed = False
        self._sizes: dict[int, int] = {}

    def send(self, *questions: bytes) -> int:
        waiting = bool(self._unsent)
        for question in questions:
            self._asked += 1
            self._unsent += numbered(self._asked, question)
        if not waiting and not self._closed:
            self._write()
            if self._unsent:
                self._poll.register(self._pipes.question, select.POLLOUT)
        return self._asked

    def answer(
        self,
        number: int,
        limit_s: float,
        on_event: Callable[[dict[str, Any]], None] | None = None,
        total_s: float | None = None,
    ) -> Frame:
        if number in self._early:
            frame = self._early[number]
            self._forget(number)
            return frame
        self._await(number, limit_s, time.monotonic() + (total_s or float("inf")), on_event)
        return self._early.pop(number)

    def gather(self, first: int, last: int, limit_s: float, total_s: float) -> Sequence[Frame]:
        self._forget(first - 1)
        frames: list[Frame] = []
        until, size = time.monotonic() + total_s, 0
        for number in range(first, last + 1):
            try:
                self._await(number, limit_s, until, None)
            except (SessionTimedOut, SessionEnded) as ended:
                self._ending = ended
                return ()
            frames.append(self._early[number])
            size += frames[-1].size
            if size > _GATHERED_CAP:
                return ()
        return frames

    def _forget(self, number: int) -> None:
        """What was sent ahead is asked for in order: up to this number nothing has a use left."""
        self._early = {later: kept for later, kept in self._early.items() if later > number}

    def _await(
        self, number: int, limit_s: float, last: float, on_event: Callable[[dict[str, Any]], None] | None
    ) -> None:
        """Until the answer of this number is there."""
        if number in self._early:
            return
        if self._closed:
            ending, self._ending = self._ending, None
            raise ending or SessionEnded("it had already ended", number)
        try:
            self._receive(number, limit_s, last, on_event)
        except (SessionTimedOut, SessionEnded):
            self.close()
            raise
        except OverLimit as over:
            self.close()
            raise SessionEnded(f"{over}, and it was ended", self._answered + 1) from None
        except ProtocolError as broken:
            self.close()
            raise SessionEnded(f"it broke the protocol: {broken}", self._answered + 1) from None

    def _receive(
        self, number: int, limit_s: float, last: float, on_event: Callable[[dict[str, Any]], None] | None
    ) -> None:
        deadline = min(last, time.monotonic() + limit_s)
        events = 0
        while True:
            while (frame := self._reader.next()) is not None:
                if frame.number != self._answered + 1:
                    raise ProtocolError("an answer to a question nobody asked")
                if "event" in frame.header:
                    events += 1
                    if events > _EVENT_CAP:
                        raise ProtocolError("too many events")
                    if on_event is not None:
                        deadline = min(last, time.monotonic() + limit_s)
                        on_event(frame.header)
                    continue  # what nobody waits for buys no time
                deadline = min(last, time.monotonic() + limit_s)
                self._answered += 1
                self._sizes[self._answered] = frame.size
                self._early[frame.number] = frame
                if frame.number == number:
                    return
                if sum(len(early.payload) for early in self._early.values()) > self._early_cap:
                    raise OverLimit(f"results that nobody has asked for yet passed {self._early_cap >> 20} MiB")
            left = deadline - time.monotonic()
            if left <= 0:
                raise SessionTimedOut(self._answered + 1)
            self._move(left)

    def _move(self, limit_s: float) -> None:
        """Wait until something can be read or written, and do so."""
        for fd, _ in self._poll.poll(limit_s * 1000 + 1):
            if fd == self._pipes.question:
                self._write()
                if not self._unsent:
                    self._poll.unregister(fd)
            else:
                self._drain(fd)

    def _write(self) -> None:
        """As much as the pipe takes. A broken pipe is no news here: the answer pipe ends as well."""
        try:
            while self._unsent:
                del self._unsent[: os.write(self._pipes.question, self._unsent)]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent.clear()

    def _drain(self, fd: int) -> None:
        try:
            data = os.read(fd, 1 << 18)
        except BlockingIOError:
            return
        if fd in self._prints:
            if data:
                self._prints[fd].feed(data)
            else:
                self._poll.unregister(fd)
        elif data:
            self._reader.feed(data)
        else:
            self._finish_reading()
            raise SessionEnded(self._how(), self._answered + 1)

    def _finish_reading(self) -> None:
        """Take what is left in the print pipes, without waiting and without end."""
        for fd, capture in self._prints.items():
            try:
                for _ in range(64):
                    data = os.read(fd, 1 << 18)
                    if not data:
                        break
                    capture.feed(data)
            except OSError:
                pass

    def sizes(self) -> dict[int, int]:
        told, self._sizes = self._sizes, {}
        return told

    def output(self) -> Output:
        if not self._closed:
            self._finish_reading()
        out, err = self._prints[self._pipes.stdout], self._prints[self._pipes.stderr]
        return Output(out.text(), err.text(), out.truncated or err.truncated)

    def close(self) -> None:
        if self._closed:
            return
        self._finish_reading()
        self._closed = True
        self._kill()
        for fd in self._pipes.all():
            os.close(fd)
