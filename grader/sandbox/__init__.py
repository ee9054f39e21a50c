"""Starts, limits and kills workers. Knows no checks and no marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from grader.model.course import Limits
from grader.model.report import Isolation
from grader.model.submission import Output

if TYPE_CHECKING:  # frames carry tensors, and whoever starts a zygote should not wait for torch first
    from grader.rpc.frames import Frame


class SessionEnded(Exception):
    """The worker is gone: it ended its process, crashed or broke the protocol. ``how`` is for people.

    ``number``: the question it was at; one sent before the awaited one, perhaps.
    """

    def __init__(self, how: str, number: int) -> None:
        super().__init__(how)
        self.how = how
        self.number = number


class SessionTimedOut(Exception):
    """The worker gave no answer to the question of this number in time and was killed."""

    def __init__(self, number: int) -> None:
        super().__init__(f"no answer to question {number} in time")
        self.number = number


class Session(Protocol):
    """One worker, from its first question to its end. Questions are answered in the order they were sent."""

    def send(self, *questions: bytes) -> int:
        """Send questions (``grader.rpc.frames.pack``) without waiting; gives the number of the last.

        Numbers go up by one. Many at once cost the worker one waking up.
        """

    def answer(
        self,
        number: int,
        limit_s: float,
        on_event: Callable[[dict[str, Any]], None] | None = None,
        total_s: float | None = None,
    ) -> Frame:
        """Wait for an answer, past those of earlier questions; raises ``SessionTimedOut`` or ``SessionEnded``,
        and ``GraderFault`` where the worker ended because what started it did.

        ``limit_s`` starts again with each event or earlier answer of the worker's; ``total_s`` does not.
        """

    def gather(self, first: int, last: int, limit_s: float, total_s: float) -> Sequence[Frame]:
        """Wait for these answers as ``answer`` would; each can still be asked for. Raises ``GraderFault`` alone.

        Empty where one did not come (asking for it tells how that ended), or where they are large.
        """

    def sizes(self) -> Mapping[int, int]:
        """The bytes of each answer that came since this was last asked, by the number of its question."""

    def output(self) -> Output:
        """What the student's code printed so far, head and tail."""

    def close(self) -> None:
        """Kill the worker and free everything. May be called twice."""


class Sandbox(Protocol):
    """A source of fresh workers."""

    @property
    def isolation(self) -> Isolation:
        """What stands between a worker and the machine, as proven when it starts."""

    def ready(self) -> None:
        """Wait until workers can be had. Raises ``GraderFault``. May be called again."""

    def open(self, limits: Limits) -> Session:
        """A fresh worker that has seen no student code yet; what starts workers is replaced where it is broken.

        Raises ``GraderFault``.
        """

    def close(self) -> None:
        """End every worker and what started them."""
