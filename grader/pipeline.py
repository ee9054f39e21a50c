"""The way of a submission: load -> run -> check -> diagnose -> score -> report.

``grade`` always returns a report. No stage calls an earlier one; the proxy's question and answer is the
only round trip. Everything warm (collected checks, the reference, the sandbox) stands on the ``Desk``.
"""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import grader
from grader import intake, scoring
from grader.catalog import load_course
from grader.checks.collected import Test
from grader.checks.examination import Examination, examine, reenact
from grader.checks.plain import collect_public
from grader.diagnosis.faults import Fault, load_faults, source_of_solution
from grader.diagnosis.inherited import block_inherited
from grader.diagnosis.naming import Named, diagnose
from grader.diagnosis.rehearsal import Rehearsals
from grader.diagnosis.telling import findings
from grader.document import to_document
from grader.errors import NotGradable, UsageError, WallMissing
from grader.loading import Loaded, Loading
from grader.model import (
    Assignment,
    Course,
    GradeReport,
    Isolation,
    Job,
    Outcome,
    Output,
    Status,
    Submission,
    TestResult,
    Text,
)
from grader.policy import policy_flags
from grader.sandbox import Sandbox
from grader.sandbox.zygote import ZygoteSandbox
from grader.student import Student

_DIAGNOSIS_S: Final = 0.5  # seconds after which no further mistake is tried


@dataclass(frozen=True, slots=True)
class Exercise:
    """An assignment with its checks collected and, where there is one, its reference at hand."""

    assignment: Assignment
    public: tuple[Test, ...]
    hidden: tuple[Test, ...] = ()
    reference: ModuleType | None = None
    faults: tuple[Fault, ...] = ()

    def without_inherited(self, seen: Examination, student: Student, seed: int) -> Examination:
        """Failures that only pass on a broken helper's answer are blocked at no cost."""
        if self.reference is None:
            return seen
        solution = source_of_solution(self.assignment)
        return block_inherited(self.hidden, seen, student, solution, self.reference, seed)

    def diagnose(self, seen: Examination, seed: int) -> tuple[Named, ...]:
        """The known mistakes that explain what failed; nothing where the exercise knows none."""
        if not self.faults or self.reference is None:
            return ()
        rehearsals = Rehearsals(source_of_solution(self.assignment), self.reference, seed)
        return diagnose(self.hidden, seen.results, seen.logs, self.faults, rehearsals, _DIAGNOSIS_S)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a graded submission comes to, before it is a report."""

    loaded: Loaded
    tests: tuple[TestResult, ...]
    output: Output
    named: tuple[Named, ...] = ()


def grade(job: Job, course: Course, exercise: Exercise, sandbox: Sandbox) -> GradeReport:
    """The whole truth about one submission. Never raises, save ``WallMissing``: then nothing may count."""
    began = time.monotonic()
    submission = None
    try:
        submission = intake.load(
            Path(job.path), exercise.assignment, submission_id=job.submission_id, students=job.students
        )
        verdict = _examined(job, course, exercise, submission, sandbox)
        return _report(job, exercise, sandbox.isolation, submission, verdict, time.monotonic() - began)
    except NotGradable as unreadable:
        return _unmarked(job, exercise, sandbox.isolation, Status.NOT_GRADABLE, unreadable.reason, submission)
    except WallMissing:
        raise
    except Exception:  # the one broad catch: our failure, never the student's zero
        reason = Text(
            en="the grader itself failed; nothing was lost and a person will look at it",
            zh="评分程序自身出错；没有扣分，会有人处理",
        )
        detail = traceback.format_exc(limit=-8)
        return _unmarked(job, exercise, sandbox.isolation, Status.GRADER_FAULT, reason, submission, detail)


def _examined(job: Job, course: Course, exercise: Exercise, submission: Submission, sandbox: Sandbox) -> Verdict:
    """Load and run: the hidden checks on the job's seed, then their re-enactment in a fresh worker."""
    tests, visibility = (exercise.public, "public") if job.public_only else (exercise.hidden, "hidden")
    loading = Loading(sandbox, submission, exercise.assignment, course)
    student = Student(loading, exercise.assignment)
    try:
        loaded = student.load_()
        seen = examine(tests, student, exercise.reference, job.seed, visibility)
        if not job.public_only:
            seen = exercise.without_inherited(seen, student, job.seed)
        output = student.output_
    finally:
        student.close_()
    if job.public_only or all(r.outcome is Outcome.PASSED for r in seen.results):
        return Verdict(loaded, seen.results, output)
    named = exercise.diagnose(seen, job.seed)
    again = Student(loading, exercise.assignment)
    try:
        return Verdict(loaded, reenact(tests, seen.results, again, exercise.reference), output, named)
    finally:
        again.close_()


def _report(
    job: Job, exercise: Exercise, isolation: Isolation, submission: Submission, verdict: Verdict, took_s: float
) -> GradeReport:
    """Score and put together; a fault of ours in any test means no score at all."""
    assignment = exercise.assignment
    flags = (*submission.flags, *verdict.loaded.flags, *policy_flags(assignment, verdict.loaded))
    criteria = scoring.score_criteria(assignment, verdict.tests, job.lang)
    score: Fraction | None = scoring.total(criteria, flags)
    status, reason = Status.GRADED, verdict.loaded.trouble
    if any(t.outcome is Outcome.GRADER_FAULT for t in verdict.tests):
        status, score = Status.GRADER_FAULT, None
        reason = Text(
            en="the grader itself failed in one of its checks; nothing was lost and a person will look at it",
            zh="评分程序在某个检查里出错；没有扣分，会有人处理",
        )
    elif assignment.import_errors == "zero" and any(f.kind == "does_not_import" for f in flags):
        score = Fraction(0)
    return GradeReport(
        assignment=assignment.name,
        assignment_digest=assignment.digest,
        submission=_described(submission),
        status=status,
        score=score,
        max_score=assignment.max_score,
        reason=reason.pick(job.lang) if reason else None,
        seed=job.seed,
        lang=job.lang,
        isolation=isolation,
        grader_version=grader.__version__,
        duration_s=took_s,
        criteria=criteria,
        tests=verdict.tests,
        diagnosis=findings(verdict.named, score, criteria, job.lang),
        remarks=(*submission.remarks, *verdict.loaded.remarks),
        flags=flags,
        output=verdict.output,
        definitions=verdict.loaded.definitions,
    )


def _unmarked(
    job: Job,
    exercise: Exercise,
    isolation: Isolation,
    status: Status,
    reason: Text,
    submission: Submission | None,
    detail: str = "",
) -> GradeReport:
    """A report without a score, and the reason why."""
    assignment = exercise.assignment
    named = _described(submission) if submission else {
        "id": job.submission_id or Path(job.path).stem,
        "students": list(job.students),
        "fingerprint": "",
        "files": [],
        "origin": job.path,
    }  # fmt: skip
    return GradeReport(
        assignment=assignment.name,
        assignment_digest=assignment.digest,
        submission=named,
        status=status,
        score=None,
        max_score=assignment.max_score,
        reason=reason.pick(job.lang),
        seed=job.seed,
        lang=job.lang,
        isolation=isolation,
        grader_version=grader.__version__,
        duration_s=0.0,
        criteria=(),
        output=Output(stderr=detail),
    )


def _described(submission: Submission) -> dict[str, object]:
    return {
        "id": submission.id,
        "students": list(submission.students),
        "fingerprint": submission.fingerprint,
        "files": [{"path": f.path, "sha256": f.sha256} for f in submission.files],
        "origin": submission.origin,
    }


class Desk:
    """What a grading process keeps warm: the course, the exercises met so far, the sandbox."""

    def __init__(self, course: Course, environment: dict[str, str]) -> None:
        self._course = course
        self._environment = environment
        self._sandbox: Sandbox = ZygoteSandbox(environment)
        self._exercises: dict[tuple[str, bool], Exercise] = {}

    def grade(self, job: Job) -> dict[str, Any]:
        """One job to the staff form of its report."""
        return to_document(self.report(job))

    def report(self, job: Job) -> GradeReport:
        return grade(job, self._course, self.exercise(job.assignment, job.public_only), self._sandbox)

    def fault(self, job: Job, reason: str) -> dict[str, Any]:
        """The report of a job that our own side could not finish."""
        text = Text(en=f"the grader itself failed ({reason})", zh=f"评分程序自身出错（{reason}）")
        exercise = self.exercise(job.assignment, job.public_only)
        return to_document(_unmarked(job, exercise, self._sandbox.isolation, Status.GRADER_FAULT, text, None))

    def limit_s(self, job: Job) -> float:
        """Seconds within which a healthy session is done: two runs of the submission."""
        limits = self.exercise(job.assignment, job.public_only).assignment.limits
        return 2 * (limits.submission_s + limits.load_s)

    def renew(self) -> None:
        """A fresh sandbox, after a session process left the old one in an unknown state."""
        self._sandbox.close()
        self._sandbox = ZygoteSandbox(self._environment)

    def close(self) -> None:
        self._sandbox.close()

    def exercise(self, name: str, public_only: bool = False) -> Exercise:
        """An assignment with its checks, collected when it is first asked for."""
        key = (name, public_only)
        if key not in self._exercises:
            self._exercises[key] = open_exercise(self._course, name, public_only)
        return self._exercises[key]


def open_exercise(course: Course, name: str, public_only: bool) -> Exercise:
    """Collect an assignment's checks. Raises ``UsageError`` for an unknown name, ``CourseError`` for bad checks."""
    assignment = course.assignment(name)
    if assignment is None:
        known = ", ".join(a.name for a in course.assignments)
        raise UsageError(f"there is no assignment {name!r}; this course has {known}")
    if public_only:
        return Exercise(assignment, collect_public(assignment))
    from grader.checks.pytest_plugin import collect_hidden
    from grader.checks.reference import load_reference

    return Exercise(assignment, (), collect_hidden(assignment), load_reference(assignment), load_faults(assignment))


def open_desk(config: dict[str, Any]) -> Desk:
    """The work of an engine: ``config`` holds ``course``, ``reference``, ``environment`` and ``assignments``."""
    import torch

    torch.set_num_threads(1)
    reference = Path(config["reference"]) if config.get("reference") else None
    course = load_course(Path(config["course"]), reference)
    return Desk(course, dict(config.get("environment", {})))
