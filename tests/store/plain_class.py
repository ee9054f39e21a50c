"""The real commands over a desk without torch: a hand-in's text says how each test ends.

``python -m tests.store.plain_class ARGUMENTS`` is ``grader ARGUMENTS`` on such a desk.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader import intake
from grader.catalog import load_course
from grader.cli import main
from grader.commands.ports import real_ports
from grader.commands.setting import Ports
from grader.document import to_document
from grader.engines import Engine
from grader.engines.pool import PoolEngine
from grader.errors import NotGradable
from grader.model.course import Text
from grader.model.outcome import Outcome, Status
from grader.model.report import GradeReport, Isolation, TestResult
from grader.model.submission import Flag, Job
from grader.scoring import score_criteria, total


class PlainDesk:
    """A hand-in is JSON in a comment: ``# {"values": ["passed", "failed"], ...}``; every grading is logged."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._root = Path(config["course"])
        self._assignment = load_course(self._root).assignments[0]
        self._isolation = Isolation("practice" if config["practice"] else "isolated")

    def grade(self, job: Job) -> dict[str, Any]:
        with (self._root / "graded.log").open("a") as log:
            log.write(job.submission_id + "\n")
        try:
            found = intake.load(Path(job.path), self._assignment, submission_id=job.submission_id,
                                students=job.students)  # fmt: skip
        except NotGradable as wrong:
            return self._told(job, Status.NOT_GRADABLE, wrong.reason)
        said = json.loads(found.files[0].data.decode().partition("#")[2])
        time.sleep(said.pop("takes", 0))
        tests = tuple(
            TestResult(f"checks.py::test_{name}[{n}]", name, Text(name), Outcome(outcome), note=Text("said"))
            for name, outcomes in said.items()
            for n, outcome in enumerate(outcomes)
        )
        files = tuple({"path": file.path, "sha256": file.sha256} for file in found.files)
        return self._told(job, Status.GRADED, None, tests, files)

    def _told(
        self, job: Job, status: Status, reason: Text | None, tests: tuple[TestResult, ...] = (), files: Any = ()
    ) -> dict[str, Any]:
        a, graded = self._assignment, status is Status.GRADED
        criteria = score_criteria(a, tests, job.lang) if graded else ()
        flags = (Flag("odd_return", "x"),)
        submission = {"id": job.submission_id, "students": job.students, "files": files, "origin": job.path}
        report = GradeReport(
            a.name, a.digest, submission, status, total(criteria, flags) if graded else None, a.max_score,
            reason.pick(job.lang) if reason else None, job.seed, job.lang, self._isolation, "1", 0.01, criteria,
            tests, flags=flags,
        )  # fmt: skip
        return to_document(report, title=a.title.pick(job.lang))

    def fault(self, job: Job, reason: str) -> dict[str, Any]:
        return self._told(job, Status.GRADER_FAULT, Text(reason))

    def limit_s(self, job: Job) -> float:
        return 60.0

    def ready(self) -> None:
        """Nothing to wait for."""

    renew = close = ready


def open_desk(config: dict[str, Any]) -> PlainDesk:
    return PlainDesk(config)


def _open(config: dict[str, Any]) -> AbstractContextManager[Engine]:
    return PoolEngine("tests.store.plain_class:open_desk", config, config.get("jobs") or 1)


class Here:
    """The same desk in this process: quick, for tests that end no process."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._desk = PlainDesk(config)

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        return ((job, self._desk.grade(job)) for job in jobs)

    def close(self) -> None:
        """Nothing was started."""


def ports(*, here: bool = True) -> Ports:
    return replace(real_ports(), open_engine=(lambda config: nullcontext(Here(config))) if here else _open)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], ports(here=False)))
