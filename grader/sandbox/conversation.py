"""One worker's pipes: a question out, events and an answer in, its prints drained all the while."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grader.model import Limits, Output
from grader.rpc.frames import Frame, FrameReader, pack
from grader.rpc.values import Encoder, ProtocolError
from grader.sandbox import SessionEnded, SessionTimedOut
from grader.sandbox.capture import Capture

_EVENT_CAP = 20_000  # events in one answer; a submission has far fewer statements


@dataclass(frozen=True, slots=True)
class Pipes:
    """The grader's ends of a worker's four pipes."""

    question: int
    answer: int
    stdout: int
    stderr: int


class PipeSession:
    """A ``Session`` over pipes; how the worker is killed and how it ended come from its backend."""

    def __init__(self, pipes: Pipes, limits: Limits, kill: Callable[[], None], verdict: Callable[[], str]) -> None:
        self._pipes = pipes
        self._kill = kill
        self._how = verdict
        self._reader = FrameReader(limits.frame_mib << 20)
        cap = limits.output_kib << 10
        self._prints = {pipes.stdout: Capture(cap), pipes.stderr: Capture(cap)}
        self._poll = select.poll()
        for fd in (pipes.question, pipes.answer, pipes.stdout, pipes.stderr):
            os.set_blocking(fd, False)
        for fd in (pipes.answer, pipes.stdout, pipes.stderr):
            self._poll.register(fd, select.POLLIN)
        self._asked = 0
        self._closed = False

    def ask(
        self,
        header: dict[str, Any],
        encoder: Encoder | None,
        limit_s: float,
        on_event: Callable[[dict[str, Any]], None] | None = None,
        total_s: float | None = None,
    ) -> Frame:
        if self._closed:
            raise SessionEnded("it had already ended")
        self._asked += 1
        data = memoryview(pack({**header, "n": self._asked}, encoder))
        try:
            return self._exchange(data, limit_s, total_s or limit_s, on_event)
        except (SessionTimedOut, SessionEnded):
            self.close()
            raise
        except ProtocolError as broken:
            self.close()
            raise SessionEnded(f"it broke the protocol: {broken}") from None

    def _exchange(
        self,
        data: memoryview,
        limit_s: float,
        total_s: float,
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> Frame:
        last = time.monotonic() + total_s
        deadline = min(last, time.monotonic() + limit_s)
        data = self._write(data)
        if data:
            self._poll.register(self._pipes.question, select.POLLOUT)
        events = 0
        while True:
            while (frame := self._reader.next()) is not None:
                if frame.header.get("n") != self._asked:
                    raise ProtocolError("an answer to a question nobody asked")
                if "event" not in frame.header:
                    return frame
                events += 1
                if events > _EVENT_CAP:
                    raise ProtocolError("too many events")
                if on_event is not None:
                    on_event(frame.header)
                    deadline = min(last, time.monotonic() + limit_s)
            left = deadline - time.monotonic()
            if left <= 0:
                raise SessionTimedOut
            for fd, _ in self._poll.poll(left * 1000 + 1):
                if fd == self._pipes.question:
                    data = self._write(data)
                    if not data:
                        self._poll.unregister(fd)
                else:
                    self._drain(fd)

    def _write(self, data: memoryview) -> memoryview:
        try:
            while data:
                data = data[os.write(self._pipes.question, data) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._finish_reading()
            raise SessionEnded(self._how()) from None
        return data

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
            raise SessionEnded(self._how())

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
        for fd in (self._pipes.question, self._pipes.answer, self._pipes.stdout, self._pipes.stderr):
            os.close(fd)
