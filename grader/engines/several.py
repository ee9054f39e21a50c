"""Several engines side by side, each taking the next job when it is free."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from grader.engines import Engine
from grader.model.submission import Job


class SeveralEngines:
    """``engines`` are closed when this one is."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self._engines = engines

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        """In the order of the jobs, when all are done. Raises what an engine raises."""
        waiting = enumerate(jobs)
        taking = threading.Lock()
        done: dict[int, tuple[Job, dict[str, Any]]] = {}

        def work(engine: Engine) -> None:
            while True:
                with taking:
                    number, job = next(waiting, (-1, None))
                if job is None:
                    return
                done[number] = next(iter(engine.map([job])))

        with ThreadPoolExecutor(len(self._engines)) as threads:
            for worker in [threads.submit(work, engine) for engine in self._engines]:
                worker.result()
        yield from (done[number] for number in sorted(done))

    def close(self) -> None:
        with ExitStack() as closing:
            for engine in self._engines:
                closing.callback(engine.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
