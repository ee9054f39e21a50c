"""Several grading processes side by side: results as they come, no submission in the way of another."""

from __future__ import annotations

import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

from grader.engines.capacity import cores_for
from grader.engines.process import HostEnded, HostProcess
from grader.errors import GraderFault, WallMissing
from grader.model.submission import Job

_Answer = tuple[Job, dict[str, Any]]
_AHEAD = 4  # results a host may be ahead of whoever takes them: the memory of a class does not depend on its size
_ENDED_TWICE = "the process that graded this submission ended, twice"


class PoolEngine:
    """``count`` hosts, each with a thread that hands it the next job the moment it is free.

    They have a folder in common, ``config["shared"]``. A host that ends, or cannot start, is replaced and its job tried
    once more. One that ends over it again makes it a fault of ours; one that cannot start again ends the run.
    """

    def __init__(self, work: str, config: dict[str, Any], count: int) -> None:
        self._shared = ExitStack()  # a folder that all hosts have in common, where one can be made
        with suppress(OSError):
            made = tempfile.TemporaryDirectory(prefix="grader-", ignore_cleanup_errors=True)
            config = {**config, "shared": self._shared.enter_context(made)}
        self._start = (work, config)
        self._closing = False
        self._cores = cores_for(max(count, 1))
        self._hosts = [HostProcess(work, config, core) for core in self._cores]
        self._threads: list[threading.Thread] = []
        self._room = threading.Semaphore(_AHEAD * len(self._hosts))  # for results that nobody has taken yet

    def map(self, jobs: Iterable[Job]) -> Iterator[_Answer]:
        """Taken in the order given, told as they come. Raises what a host raises; then nothing more is begun."""
        waiting = deque(jobs)
        left = len(waiting)
        told: SimpleQueue[_Answer | BaseException] = SimpleQueue()
        self._threads = [
            threading.Thread(target=self._serve, args=(slot, waiting, told), daemon=True)
            for slot in range(len(self._hosts))
        ]
        for thread in self._threads:
            thread.start()
        while left:
            answer = told.get()
            self._room.release()
            if isinstance(answer, BaseException):
                waiting.clear()
                raise answer
            left -= 1
            yield answer

    def _serve(self, slot: int, waiting: deque[Job], told: SimpleQueue[_Answer | BaseException]) -> None:
        try:
            while self._room.acquire() and not self._closing:
                try:
                    job = waiting.popleft()
                except IndexError:
                    return
                told.put((job, self._answered(slot, job)))
        except BaseException as failed:  # whatever it is, it belongs to the thread that asked
            told.put(failed)

    def _answered(self, slot: int, job: Job) -> dict[str, Any]:
        try:
            return self._hosts[slot].grade(job)
        except (GraderFault, WallMissing):  # whatever struck it may not strike the next: a start is tried twice
            self._replace(slot)
        try:
            return self._hosts[slot].grade(job)
        except HostEnded:
            self._replace(slot)
        return self._hosts[slot].fault(job, _ENDED_TWICE)

    def _replace(self, slot: int) -> None:
        if self._closing:
            raise HostEnded("the pool is being closed")
        self._hosts[slot].kill()
        self._hosts[slot].close()
        self._hosts[slot] = HostProcess(*self._start, self._cores[slot])

    def close(self) -> None:
        self._end(by_force=False)

    def _end(self, *, by_force: bool) -> None:
        """Every process is gone when this returns; by force also those in the midst of a job."""
        self._closing = True
        for host in self._hosts:
            if by_force:
                host.kill()
            host.hang_up()  # to all first: they end at the same time
        for _ in self._threads:
            self._room.release()  # whoever waits for room sees that the pool is being closed
        for thread in self._threads:
            thread.join()
        for host in self._hosts:
            host.close()
        self._shared.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(by_force=kind is not None)
