"""The way of a submission: load -> run -> check -> diagnose -> score -> report.

``grade`` always returns a report. No stage calls an earlier one; the proxy's question and answer is the
only round trip. What is warm before a submission comes stands on the desk (``grader/desk.py``).
"""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import grader
from grader import intake, scoring
from grader.checks.examination import examine, reenact
from grader.checks.recalled import Recollection
from grader.diagnosis.naming import Named
from grader.diagnosis.telling import findings
from grader.errors import NotGradable, WallMissing
from grader.exercise import Exercise, all_answers
from grader.loading import Loaded, Loading
from grader.model.course import Course, Text
from grader.model.outcome import Outcome, Status
from grader.model.report import GradeReport, Isolation, TestResult
from grader.model.submission import Flag, Job, Output, Submission
from grader.policy import policy_flags, protocol_flags
from grader.sandbox import Sandbox
from grader.student import Student


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a graded submission comes to, before it is a report."""

    loaded: Loaded
    tests: tuple[TestResult, ...]
    output: Output
    named: tuple[Named, ...] = ()
    flags: tuple[Flag, ...] = ()


def grade(job: Job, course: Course, exercise: Exercise, sandbox: Sandbox) -> GradeReport:
    """The whole truth about one submission. Never raises, save ``WallMissing``: then nothing may count."""
    began = time.monotonic()
    submission = None
    try:
        submission = intake.load(
            Path(job.path), exercise.assignment, submission_id=job.submission_id, students=job.students
        )
        verdict = _examined(job, course, exercise, submission, sandbox)
        return report_of(job, exercise, sandbox.isolation, submission, verdict, time.monotonic() - began)
    except NotGradable as unreadable:
        return unmarked(job, exercise, sandbox.isolation, Status.NOT_GRADABLE, unreadable.reason, submission)
    except WallMissing:
        raise
    except Exception:  # the one broad catch: our failure, never the student's zero
        reason = Text(
            en="the grader itself failed; nothing was lost and a person will look at it",
            zh="评分程序自身出错；没有扣分，会有人处理",
        )
        detail = traceback.format_exc(limit=-8)
        return unmarked(job, exercise, sandbox.isolation, Status.GRADER_FAULT, reason, submission, detail)


def _examined(job: Job, course: Course, exercise: Exercise, submission: Submission, sandbox: Sandbox) -> Verdict:
    """Load and run: the hidden checks on the job's seed, then their re-enactment in a fresh worker."""
    tests, visibility = (exercise.public, "public") if job.public_only else (exercise.hidden, "hidden")
    loading = Loading(sandbox, submission, exercise.assignment, course)
    student = Student(loading, exercise.assignment, {} if job.public_only else exercise.script(job.seed))
    try:
        loaded = student.load_()
        recollection = None if job.public_only else Recollection(student, exercise.recalled(job.seed))
        seen = examine(tests, student, exercise.reference, job.seed, visibility, recollection)
        if not job.public_only:
            seen = exercise.without_inherited(seen, student, job.seed)
        noted = (
            *policy_flags(exercise.assignment, loaded, loading.seen()),
            *protocol_flags(seen.results, loading.protocol_breaks),
        )
        output = student.output_
    finally:
        student.close_()
    if job.public_only or job.asks or all(r.outcome is Outcome.PASSED for r in seen.results):
        return Verdict(loaded, seen.results, output, flags=noted)
    answers = all_answers(seen)
    named, flags = exercise.diagnose(seen, answers, job.seed)
    shown = exercise.shown(job.seed).find(answers, seen.results, student.place_of_)
    if shown is None:
        again = Student(loading, exercise.assignment, allowance=student.allowance_)
        try:
            shown = reenact(tests, seen.results, again, exercise.reference)
            exercise.shown(job.seed).keep(answers, shown)
        finally:
            again.close_()
    return Verdict(loaded, shown, output, named, (*noted, *flags))


def report_of(
    job: Job, exercise: Exercise, isolation: Isolation, submission: Submission, verdict: Verdict, took_s: float
) -> GradeReport:
    """Score and put together; a fault of ours in any test means no score at all."""
    assignment = exercise.assignment
    flags = (*submission.flags, *verdict.loaded.flags, *verdict.flags)
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


def unmarked(
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
