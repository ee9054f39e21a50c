"""Grading what a change touches: the staff form of each assignment, and the form its student may see now."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.ci.taking import reason_of
from grader.commands.ci_change import Change, Touched
from grader.commands.ci_feedback import Shown
from grader.commands.console import note
from grader.commands.seeds import settle_seed
from grader.commands.setting import Setting
from grader.document import for_student
from grader.engines import Engine
from grader.gradebook.late_lines import told_late
from grader.model.course import PUBLIC_SEED, Text
from grader.model.outcome import Status
from grader.model.submission import Flag, Job

_SECRET = re.compile(r"(?:TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|PRIVATE_KEY|API_KEY|ACCESS_KEY)(?:_|$)")
_GONE = Text("the file was taken away", "文件已被删除")


@dataclass(frozen=True, slots=True)
class Graded:
    """One assignment of a change: what staff keep, and what its student may see."""

    touched: Touched
    staff: dict[str, Any]
    student: dict[str, Any]


@dataclass(frozen=True, slots=True)
class How:
    """Of one grading run: whose it is and what counts."""

    student: str
    named: bool  # the student was named; else ``student`` is only what the repository is called
    public: bool
    practice: bool
    seed: int | None


def grade(setting: Setting, change: Change, shown: Shown, how: How) -> list[Graded]:
    """Run the jobs; where nothing of a hidden run may be shown, the public checks besides."""
    seed = PUBLIC_SEED if how.public else settle_seed(how.seed)
    _withhold_secrets(os.environ)
    students = (how.student,) if how.named else ()
    jobs = [
        Job(str(each.folder), each.assignment.name, seed, setting.lang, how.student, students, public_only=how.public)
        for each in change.touched
    ]
    with setting.engine(practice=how.public or how.practice) as engine:
        staff = [document for _, document in engine.map(jobs)]
        advice = _public_forms(engine, jobs) if shown.level == "public" and not how.public else staff
    return [
        _one(each, document, public, change, shown, setting.lang)
        for each, document, public in zip(change.touched, staff, advice, strict=True)
    ]


def _public_forms(engine: Engine, jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Where nothing of a hidden run may be shown, a student still sees what the public checks say."""
    public = [Job(j.path, j.assignment, PUBLIC_SEED, j.lang, j.submission_id, j.students, True) for j in jobs]
    return [document for _, document in engine.map(public)]


def _one(
    each: Touched, document: dict[str, Any], public: dict[str, Any], change: Change, shown: Shown, lang: str
) -> Graded:
    """The staff form with what the repository showed, and the student's form at its level."""
    staff, theirs = (_with_facts(each, one, change, lang) for one in (document, public))
    if shown.late is not None:
        staff = told_late(staff, shown.late)
    student = for_student(theirs if shown.level == "public" else staff, feedback=shown.level)
    if shown.level == "public":
        student["reason"] = theirs["reason"]
    return Graded(each, staff, student)


def _with_facts(each: Touched, document: Mapping[str, Any], change: Change, lang: str) -> dict[str, Any]:
    flags = [_flag(flag) for flag in (*each.flags, *change.flags)]
    submission = {**document["submission"], "origin": f"{change.head}:{each.home}"}
    told = {**document, "submission": submission, "flags": [*document["flags"], *flags]}
    if document["status"] == Status.NOT_GRADABLE:
        if each.hand_in is None or not each.hand_in.code:
            told.update(status=str(Status.MISSING), reason=_GONE.pick(lang))
        elif (why := reason_of(each.left_out)) is not None:
            told["reason"] = why.pick(lang)
    return told


def _flag(flag: Flag) -> dict[str, Any]:
    return {"kind": flag.kind, "detail": flag.detail, "costs": 0.0}


def _withhold_secrets(environment: MutableMapping[str, str]) -> None:
    """Take away what looks like a secret before anything is started. The walls hold without this, too."""
    for name in [name for name in environment if _SECRET.search(name.upper())]:
        del environment[name]
        note(f"{name} is withheld from the grading processes; a grading step needs no secret")
