"""The submissions a proof makes up, and what the grader says about them."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from grader.model.course import PUBLIC_SEED, Assignment, Text
from grader.model.outcome import Outcome, Status
from grader.model.submission import Job

Document = Mapping[str, Any]
Key = TypeVar("Key", bound=Hashable)
SEED = PUBLIC_SEED + 1  # of whatever is tried once
_SHOWN_TESTS = 5


class Engine(Protocol):
    """What grades: each job with its report (staff form)."""

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]: ...


class Trials:
    """Writes submissions for one assignment, has them graded, and keeps the time."""

    def __init__(self, assignment: Assignment, folder: Path, engine: Engine) -> None:
        self.assignment = assignment
        self.seconds: dict[str, float] = {}
        self._folder = folder
        self._engine = engine

    def submission(self, label: str, source: str) -> Path:
        """A file that could have been handed in."""
        path = self._folder / label / self.assignment.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        return path

    def job(self, path: Path, seed: int = SEED, asks: str = "", *, public: bool = False) -> Job:
        return Job(str(path), self.assignment.name, seed, submission_id="trial", public_only=public, asks=asks)

    def graded(self, jobs: Mapping[Key, Job]) -> dict[Key, Document]:
        """The report on each job, under the job's key."""
        documents = dict(self._engine.map(list(dict.fromkeys(jobs.values()))))
        return {key: documents[job] for key, job in jobs.items()}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time spent inside to the stage of that name."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - began


def lost(document: Document) -> dict[str, float]:
    """Marks lost by criterion, where any were."""
    return {
        criterion["id"]: round(criterion["max_points"] - criterion["points"], 2)
        for criterion in document["criteria"]
        if criterion["points"] < criterion["max_points"]
    }


def ungraded(document: Document) -> Text | None:
    """Why there are no marks, where there are none."""
    if document["status"] == Status.GRADED:
        return None
    faults = [seen(test) for test in document["tests"] if test["outcome"] == Outcome.GRADER_FAULT]
    return Text("; ".join([f"{document['status']}: {document['reason']}", *faults[:_SHOWN_TESTS]]))


def seen(test: Document) -> str:
    """A test, how it ended, and what it noted."""
    note = test.get("note") or (test.get("detail") or "").strip().rpartition("\n")[2]
    return f"{test['id']} {test['outcome']}" + (f" ({note})" if note else "")


def tests_of(document: Document, criterion: str, *, passed: bool) -> str:
    """A few of the tests of a criterion that passed, or that did not, by id."""
    found = [
        test["id"]
        for test in document["tests"]
        if test["criterion"] == criterion and (test["outcome"] == Outcome.PASSED) is passed
    ]
    return ", ".join(found[:_SHOWN_TESTS]) + (" ..." if len(found) > _SHOWN_TESTS else "")
