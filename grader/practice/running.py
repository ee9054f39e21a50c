"""Public checks on a file, in this very process: everything is announced before it runs, for whoever can end it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from grader import intake
from grader.document import to_document
from grader.errors import NotGradable
from grader.exercise import Exercise, open_exercise
from grader.loading import Loaded, read_loaded
from grader.model.course import Course, Limits
from grader.model.outcome import Status
from grader.model.report import GradeReport, Isolation
from grader.model.submission import Job, Output, Place, Submission
from grader.notebook.live import LiveStudent, no_sudden_end, run
from grader.onefile.files import loaded_here
from grader.pipeline import Verdict, report_of, unmarked
from grader.places import read_place
from grader.practice import lost as events
from grader.practice.lost import Lost
from grader.student import Call
from grader.student.proxy import not_callable

Tell = Callable[[dict[str, Any]], None]


def practised(job: Job, course: Course, lost: Lost, tell: Tell) -> dict[str, Any]:
    """The report of the job as a document, as any engine gives it."""
    exercise = open_exercise(course, job.assignment, True)
    report = _report(job, course, exercise, lost, tell)
    return to_document(report, title=exercise.assignment.title.pick(job.lang))


def _report(job: Job, course: Course, exercise: Exercise, lost: Lost, tell: Tell) -> GradeReport:
    began = time.monotonic()
    try:
        submission = intake.load(Path(job.path), exercise.assignment, submission_id=job.submission_id)
    except NotGradable as unreadable:
        return unmarked(job, exercise, Isolation(), Status.NOT_GRADABLE, unreadable.reason, None)
    verdict = _verdict(course, exercise, submission, lost, tell)
    return report_of(job, exercise, Isolation(), submission, verdict, time.monotonic() - began)


def _verdict(course: Course, exercise: Exercise, submission: Submission, lost: Lost, tell: Tell) -> Verdict:
    assignment, limits = exercise.assignment, exercise.assignment.limits
    with no_sudden_end():
        here = loaded_here(
            submission, assignment, lost.statements, lambda number, spot: tell(events.statement(number, limits))
        )
    told = read_loaded(here.summary(), assignment, course)

    def place_of_error(traceback: TracebackType | None) -> Place | None:
        return read_place(here.place_of_error(traceback))

    things = {d.name: here.namespace[d.bound_as or d.name] for d in told.definitions if d.state == "present"}
    student = _Announced(things, told, place_of_error, limits, lost, tell)
    return Verdict(told, run(exercise.public, student), Output())


class _Announced(LiveStudent):
    """Says before each call which one it is; what was lost before is not called again."""

    def __init__(
        self,
        things: dict[str, Any],
        told: Loaded,
        place_of_error: Callable[[TracebackType | None], Place | None],
        limits: Limits,
        lost: Lost,
        tell: Tell,
    ) -> None:
        noted = [replace(d, note=not_callable(d.name)) if d.state == "not_callable" else d for d in told.definitions]
        super().__init__(things, noted, place_of_error)
        self._limits, self._lost, self._tell = limits, lost, tell
        self._test = ""

    def begin_(self, tests: Sequence[tuple[int, str]]) -> None:
        self._test = tests[0][1]
        super().begin_(tests)

    def call_(self, name: str, *rest: Any, **more: Any) -> Call:
        refusal = self._lost.refusal(self._test, name)
        if refusal is not None:
            self.last_called_ = name
            refusal.place = self.place_of_(name)
            raise refusal
        self._tell(events.call(self._test, name, self._lost.limit_s(self._limits)))
        return super().call_(name, *rest, **more)
