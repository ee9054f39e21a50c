"""What a grading process keeps warm: the course, the exercises met so far, the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from grader.document import to_document
from grader.exercise import Exercise, open_exercise
from grader.model.course import Course, Text
from grader.model.outcome import Status
from grader.model.report import GradeReport
from grader.model.submission import Job
from grader.pipeline import grade, unmarked
from grader.sandbox import Sandbox
from grader.sandbox.launch import Zygote
from grader.sandbox.zygote import ZygoteSandbox


class Desk:
    """What a grading process keeps warm: the course, the exercises met so far, the sandbox."""

    def __init__(
        self,
        course: Course,
        open_sandbox: Callable[[], Sandbox],
        sandbox: Sandbox | None = None,
        shared: Path | None = None,
    ) -> None:
        """``sandbox``: one that is open already. ``shared``: the folder of all desks of one run."""
        torch.set_num_threads(1)
        self._course, self._shared = course, shared
        self._open_sandbox = open_sandbox
        self._sandbox = sandbox or open_sandbox()
        self._exercises: dict[tuple[str, bool], Exercise] = {}

    def grade(self, job: Job) -> dict[str, Any]:
        """One job to the staff form of its report."""
        return self._told(job, self.report(job))

    def report(self, job: Job) -> GradeReport:
        return grade(job, self._course, self.exercise(job.assignment, job.public_only), self._sandbox)

    def fault(self, job: Job, reason: str) -> dict[str, Any]:
        """The report of a job that our own side could not finish."""
        text = Text(en=f"the grader itself failed ({reason})", zh=f"评分程序自身出错（{reason}）")
        exercise = self.exercise(job.assignment, job.public_only)
        return self._told(job, unmarked(job, exercise, self._sandbox.isolation, Status.GRADER_FAULT, text, None))

    def _told(self, job: Job, report: GradeReport) -> dict[str, Any]:
        title = self.exercise(job.assignment, job.public_only).assignment.title.pick(job.lang)
        return to_document(report, title=title)

    def limit_s(self, job: Job) -> float:
        """Seconds within which a healthy session is done: two runs of the submission.

        Warms what the job shares with others, once for all session processes forked from this one.
        """
        exercise = self.exercise(job.assignment, job.public_only)
        if not job.public_only:
            exercise.script(job.seed)
        limits = exercise.assignment.limits
        return 2 * (limits.submission_s + limits.load_s)

    def ready(self) -> None:
        """Wait until the sandbox can give workers: once here, for all session processes forked from this one."""
        self._sandbox.ready()

    def renew(self) -> None:
        """A fresh sandbox, after a session process left the old one in an unknown state."""
        self._sandbox.close()
        self._sandbox = self._open_sandbox()

    def close(self) -> None:
        self._sandbox.close()

    def exercise(self, name: str, public_only: bool = False) -> Exercise:
        """An assignment with its checks, collected when it is first asked for."""
        key = (name, public_only)
        if key not in self._exercises:
            self._exercises[key] = open_exercise(self._course, name, public_only, self._shared)
        return self._exercises[key]


def open_sandbox(
    course: Course, environment: Mapping[str, str], practice: bool, zygote: Zygote | None = None
) -> Sandbox:
    """Workers that can be shown not to see the course. ``practice``: that need not be shown, and nothing counts.

    ``zygote``: one that was started with this environment.
    """
    folders = (folder for a in course.assignments for folder in (a.folder, a.reference) if folder is not None)
    return ZygoteSandbox(environment, guarded=folders, practice=practice, zygote=zygote)
