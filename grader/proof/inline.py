"""Grades without the wall: for code an author wrote, where seconds count more than the whole way of a submission."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader import scoring
from grader.checks.examination import examine
from grader.diagnosis.faults import build
from grader.diagnosis.inherited import block_inherited
from grader.diagnosis.inline import InlineStudent
from grader.diagnosis.telling import findings
from grader.exercise import Exercise, all_answers
from grader.model.course import Text
from grader.model.outcome import Outcome, Status
from grader.model.report import GradeReport, Isolation
from grader.model.submission import Job
from grader.pipeline import unmarked
from grader.proof.gauge import Gauge


def grade_inline(job: Job, exercise: Exercise) -> tuple[GradeReport, Gauge]:
    """The same checks and the same marks, on the file run as a module of this process."""
    assert exercise.reference is not None, "an exercise with hidden checks has a reference"
    student = InlineStudent(build(Path(job.path).read_text(encoding="utf-8"), "trial"))
    gauge = Gauge(whose=student)
    tests = [gauge.on(test) for test in exercise.hidden]
    seen = examine(tests, student, exercise.reference, job.seed, "hidden")
    seen = block_inherited(exercise.hidden, seen, student, exercise.solution, exercise.reference, job.seed)
    named, flags = exercise.diagnose(seen, all_answers(seen), job.seed)
    criteria = scoring.score_criteria(exercise.assignment, seen.results, job.lang)
    report = unmarked(job, exercise, Isolation(), Status.GRADED, Text(""), None)
    if any(result.outcome is Outcome.GRADER_FAULT for result in seen.results):
        why = Text("one of its checks failed itself", "某个检查自身出错")
        return replace(report, status=Status.GRADER_FAULT, reason=why.pick(job.lang), tests=seen.results), gauge
    total = scoring.total(criteria, ())
    told = findings(named, total, criteria, job.lang)
    return replace(
        report, score=total, reason=None, criteria=criteria, tests=seen.results, diagnosis=told, flags=flags
    ), gauge
