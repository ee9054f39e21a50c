"""The desk of a proof: grades as the desk of a course does, and answers what a proof asks besides.

Beside each report stands how much of its tolerance each test used up. ``Job.asks`` may hold the words

- ``marks``: what is lost, without looking for a name;
- ``inline``: without the wall;
- ``order N``: with the tests in the N-th shuffled order;
- ``twins``: groups of known mistakes that answer every question alike;
- ``twins A B``: other mistakes, and other pairs with A or B, that answer every question as A and B together do.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from grader.checks.collected import in_order
from grader.desk import Desk
from grader.exercise import Exercise
from grader.model.course import Course
from grader.model.report import GradeReport
from grader.model.submission import Job
from grader.pipeline import grade
from grader.proof.alike import groups_alike, sets_alike
from grader.proof.gauge import Gauge
from grader.proof.inline import grade_inline
from grader.sandbox import Sandbox


class ProvingDesk(Desk):
    """A desk that is asked more than marks."""

    def __init__(self, course: Course, open_sandbox: Callable[[], Sandbox], sandbox: Sandbox | None = None) -> None:
        warnings.simplefilter("ignore")  # a known mistake may do what a library warns about
        super().__init__(course, open_sandbox, sandbox)

    def grade(self, job: Job) -> dict[str, Any]:
        words = job.asks.split()
        if "twins" in words:
            exercise = self.exercise(job.assignment)
            ids = tuple(words[1:])
            found = sets_alike(exercise, ids, job.seed) if ids else groups_alike(exercise, job.seed)
            return {"twins": [list(ids) for ids in found]}
        exercise = _as_asked(self.exercise(job.assignment, job.public_only), words)
        report, gauge = grade_inline(job, exercise) if "inline" in words else self._behind_the_wall(job, exercise)
        return {**self._told(job, report), "room": gauge.shares}

    def _behind_the_wall(self, job: Job, exercise: Exercise) -> tuple[GradeReport, Gauge]:
        gauge = Gauge()
        measured = replace(exercise, hidden=tuple(gauge.on(test) for test in exercise.hidden))
        return grade(job, self._course, measured, self._sandbox), gauge


def _as_asked(exercise: Exercise, words: Sequence[str]) -> Exercise:
    if "order" in words:
        exercise = _shuffled(exercise, int(words[words.index("order") + 1]))
    return replace(exercise, faults=()) if "marks" in words else exercise


def _shuffled(exercise: Exercise, number: int) -> Exercise:
    """The same tests in another order, in which those that others need still come first."""
    tests = list(exercise.hidden)
    random.Random(number).shuffle(tests)
    ordered = in_order(tests, exercise.assignment, "in another order")
    # Made anew, not replaced: what an exercise remembers may hang on the order.
    return Exercise(
        exercise.assignment, exercise.public, ordered, exercise.reference, exercise.faults, exercise.solution
    )
