"""``grader grade``: one submission, its report in any format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from grader.commands import annotated
from grader.commands.console import STDOUT, note, show_report, write_document
from grader.commands.exits import Exit, exit_for
from grader.commands.seeds import settle_seed
from grader.commands.setting import Setting, assignment_named
from grader.document import for_student
from grader.errors import UsageError
from grader.gradebook.late_lines import told_late
from grader.gradebook.standings import Late
from grader.late import HandedIn, Source, moment, read_term
from grader.model.course import Audience, Course
from grader.model.submission import Job
from grader.reports import render
from grader.reports.untrusted import one_line
from grader.reports.words import STATUSES, marks

GRADESCOPE = "gradescope"


@dataclass(frozen=True, slots=True)
class Request:
    """What to grade and how to tell of it. ``targets`` maps a format to the file it goes to (``-`` is stdout)."""

    submission: Path
    assignment: str
    targets: Mapping[str, Path]
    audience: Audience = Audience.STAFF
    feedback: str | None = None  # None: what course.yaml shows before the deadline
    seed: int | None = None
    min_score: float | None = None
    practice: bool = False
    notebook: Path | None = None  # takes the graded notebook as a page
    term: Path | None = None  # the late policy
    handed_in: str = ""  # when it came


def run(setting: Setting, request: Request) -> Exit:
    """Grade, write, show, and say with the exit code whether a person has to look."""
    if request.notebook is not None:
        annotated.require()
    if sum(target == STDOUT for target in (*request.targets.values(), request.notebook)) > 1:
        raise UsageError("only one of the reports can go to stdout ('-')")
    course = setting.course()
    assignment = assignment_named(course, request.assignment)
    path = setting.folder / request.submission
    if not path.exists():
        raise UsageError(f"there is no {request.submission}; give the file, folder or notebook that was handed in")
    if request.min_score is not None and not 0 <= request.min_score <= assignment.max_score:
        raise UsageError(
            f"--min-score {request.min_score:g}: {assignment.name} has {marks(float(assignment.max_score))}"
        )
    late = _late(setting, request, path.absolute().stem)
    seed = settle_seed(request.seed)
    with setting.engine(practice=request.practice) as engine:
        job = Job(os.path.abspath(path), assignment.name, seed, setting.lang, path.absolute().stem)
        staff = next(document for _, document in engine.map([job]))
    if late is not None:
        staff = told_late(staff, late)
    document = staff
    if request.audience is Audience.STUDENT:
        document = for_student(staff, feedback=request.feedback or course.before_deadline)
    if target := request.targets.get(GRADESCOPE):
        write_document(target, _for_gradescope(staff, request.feedback or course.before_deadline, course))
    _tell(setting, request, document)
    if request.notebook is not None:
        write_document(request.notebook, annotated.page(setting, path, assignment, document))
    return _verdict(staff, request.min_score)


def _late(setting: Setting, request: Request, submission: str) -> Late | None:
    if request.term is None:
        if request.handed_in:
            raise UsageError("--handed-in needs --term FILE, the late policy")
        return None
    term, _ = read_term(setting.folder / request.term)
    if request.handed_in and moment(request.handed_in, UTC) is None:
        raise UsageError(f"--handed-in '{request.handed_in}' is no time; write one like 2026-03-01T23:59+08:00")
    came = HandedIn(Source.TOLD, request.handed_in) if request.handed_in else HandedIn()
    return Late(term, {submission: came})


def counting(document: Mapping[str, Any]) -> float | None:
    """The marks that count, a late policy's line included; the least where students of a group differ."""
    late = [line["counts"] for line in document.get("late", []) if line["counts"] is not None]
    score: float | None = document["score"]
    return min([score, *late]) if score is not None else None


def _tell(setting: Setting, request: Request, document: Mapping[str, Any]) -> None:
    for form, target in request.targets.items():
        if form != GRADESCOPE:
            write_document(target, render(form, document, lang=setting.lang))
    if STDOUT in (*request.targets.values(), request.notebook):
        note(one_sentence(document, setting.lang))
    else:
        show_report(document, lang=setting.lang, plain=setting.plain)
    if document["isolation"]["level"] != "isolated" and not request.practice:
        note("practice: no isolation was proven, so these marks must not go into a gradebook (grader doctor says more)")


def _for_gradescope(staff: dict[str, Any], before: str, course: Course) -> str:
    """A student reads it there whatever ``audience`` is: the levels of the course decide what and when."""
    from grader.reports.gradescope import dump, results

    later = for_student(staff, feedback="criteria" if course.after_release == "public" else course.after_release)
    found = results(for_student(staff, feedback=before), later, lang=staff["lang"])
    score = counting(staff)
    return dump(found if score is None else {**found, "score": score})


def one_sentence(document: Mapping[str, Any], lang: str) -> str:
    """Who, what, how many marks: the report in one line."""
    who = one_line(document["submission"]["id"], limit=120)
    if document["score"] is None:
        reason = one_line(document["reason"] or "")
        return f"{who}: {STATUSES[document['status']].pick(lang)}" + (f": {reason}" if reason else "")
    off = max((line["penalty"] for line in document.get("late", [])), default=0)
    less = f" (-{marks(off)} late)" if off else ""
    return f"{who}: {marks(document['score'])} / {marks(document['max_score'])}{less}"


def _verdict(document: Mapping[str, Any], min_score: float | None) -> Exit:
    code = exit_for([document["status"]])
    score = counting(document)
    if code is Exit.DONE and min_score is not None and score is not None and score < min_score:
        note(f"below the bar: {marks(score)} of at least {marks(min_score)}")
        return Exit.NOT_ENOUGH
    return code
