"""Every golden submission earns what its ``expected.yaml`` says, and loses nothing else.

``loses`` gives marks lost per criterion ("*": at least 0.01); every other criterion is full, save those in
``may_lose``. The whole set is graded through the real way: intake, worker, checks, scoring.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.desk import Desk
from grader.document import for_student, to_document
from grader.model.report import GradeReport
from grader.model.submission import Job
from grader.pipeline import grade
from grader.reports import render

GOLDEN = Path(__file__).parent / "golden"
SEED = 20240229


@dataclass(frozen=True)
class Expected:
    """One ``expected.yaml``; unknown keys are refused by the constructor."""

    about: str
    kind: str
    loses: dict[str, Any] = field(default_factory=dict)
    may_lose: list[str] = field(default_factory=list)
    outcomes: dict[str, str] = field(default_factory=dict)
    note_contains: list[str] = field(default_factory=list)
    status: str = "graded"
    flags: list[str] = field(default_factory=list)
    hastily: bool = False  # it waits for a limit, and a smaller one does
    named: list[str] | None = None  # the mistakes that are told, all of them; looked at in tests/test_diagnosis.py


def golden_cases() -> list[Any]:
    """All of them; of the right and the wrong ones every third is graded here, the others in the long tests."""
    folders = sorted(path.parent for path in GOLDEN.glob("*/*/expected.yaml"))
    return [
        pytest.param(
            folder,
            id=f"{folder.parent.name}/{folder.name}",
            marks=() if number % 3 == 1 or folder.name.startswith("odd_") else (pytest.mark.long,),
        )
        for number, folder in enumerate(folders)
    ]


def test_there_are_golden_submissions_of_every_assignment_and_kind() -> None:
    kinds = {(p.parent.parent.name, p.parent.name.split("_")[0]) for p in GOLDEN.glob("*/*/expected.yaml")}
    for assignment in ("by_hand", "attention", "causal_mask", "padding_mask", "multi_head"):
        assert {(assignment, "right"), (assignment, "wrong")} <= kinds


@pytest.mark.parametrize("folder", golden_cases())
def test_golden_submission_gets_what_it_deserves(folder: Path, desk: Desk) -> None:
    expected = Expected(**yaml.safe_load((folder / "expected.yaml").read_text(encoding="utf-8")))
    # Marks come from the hidden run alone; what a student reads comes from the second one, and is asked for where told.
    asks = "" if expected.note_contains else "marks"
    job = Job(str(submission_in(folder)), folder.parent.name, SEED, asks=asks)
    report = hastily(desk, job) if expected.hastily or "timed_out" in expected.outcomes.values() else desk.report(job)
    assert report.status == expected.status, report.reason or report.output.stderr
    if report.status == "graded":
        check_marks(report, expected)
    found = {flag.kind for flag in report.flags}
    assert set(expected.flags) <= found, f"flags: {sorted(found)}"
    text = render("markdown", for_student(to_document(report)), lang="en").lower().replace("\\", "")
    for words in expected.note_contains:
        assert words.lower() in text


def hastily(desk: Desk, job: Job) -> GradeReport:
    """With less patience than the course has: what hangs may as well hang for a second, or fill a little memory."""
    exercise = desk.exercise(job.assignment)
    limits = replace(exercise.assignment.limits, call_s=1.5, load_s=4.0, memory_mib=320)
    return grade(
        job, desk._course, replace(exercise, assignment=replace(exercise.assignment, limits=limits)), desk._sandbox
    )


def submission_in(folder: Path) -> Path:
    """The one file handed in, or the folder where there are several."""
    files = [path for path in folder.iterdir() if path.name != "expected.yaml"]
    return files[0] if len(files) == 1 and files[0].is_file() else folder


def check_marks(report: GradeReport, expected: Expected) -> None:
    lost = {c.id: float(c.max_points - c.points) for c in report.criteria if c.points < c.max_points}
    trail = "\n".join(f"{t.id} {t.outcome}: {t.detail}" for t in report.tests if t.outcome != "passed")
    wanted = {name: marks for name, marks in expected.loses.items() if name not in expected.may_lose}
    unasked = {
        name: marks for name, marks in lost.items() if name not in expected.loses and name not in expected.may_lose
    }
    assert not unasked, f"lost without reason: {unasked}\n{trail}"
    for name, marks in wanted.items():
        assert name in lost, f"{name} should lose marks\n{trail}"
        assert marks == "*" or lost[name] == pytest.approx(float(marks), abs=0.006), (
            f"{name}: lost {lost[name]}\n{trail}"
        )
    for name, outcome in expected.outcomes.items():
        outcomes = {t.outcome for t in report.tests if t.criterion == name}
        assert outcome in outcomes, f"{name} has {outcomes}\n{trail}"
