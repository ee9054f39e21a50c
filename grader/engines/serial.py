"""One grading process, one job after the other, in the order given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Self

from grader.engines.process import HostProcess
from grader.model.submission import Job


class SerialEngine:
    """See `HostProcess` for ``work`` and ``config``. A host that ends by itself ends the run: ``HostEnded``."""

    def __init__(self, work: str, config: dict[str, Any]) -> None:
        self._host = HostProcess(work, config)

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        """Raises what the host raises when it cannot start: ``CourseError``, ``UsageError``, ``GraderFault``."""
        for job in jobs:
            yield job, self._host.grade(job)

    def close(self) -> None:
        self._host.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._host.kill()
        self.close()
