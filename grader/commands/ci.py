"""``grader ci``: grades what a change of a repository touches, and tells the CI service and the student."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.ci.objects import Repository
from grader.ci.taking import reason_of
from grader.commands.ci_change import Change, Touched, asked_for, read_change
from grader.commands.ci_tell import Graded, line_remarks, tell
from grader.commands.console import note
from grader.commands.exits import Exit, exit_for
from grader.commands.seeds import settle_seed
from grader.commands.setting import Setting
from grader.document import for_student
from grader.engines import Engine
from grader.errors import UsageError
from grader.model import PUBLIC_SEED, Audience, Course, Flag, Job, Outcome, Status, Text
from grader.release.pack import unpacked
from grader.reports.words import marks

_SECRET = re.compile(r"(?:TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|PRIVATE_KEY|API_KEY|ACCESS_KEY)(?:_|$)")
_BAR = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")
_GONE = Text("the file was taken away", "文件已被删除")


@dataclass(frozen=True, slots=True)
class Request:
    """Which change to grade and how to tell of it. What is left open, the CI service's variables say."""

    repository: Path
    head: str | None = None
    base: str | None = None
    names: tuple[str, ...] = ()
    out: Path | None = None
    public: bool = False  # the public checks alone: needs no reference, and its result is advice
    audience: Audience = Audience.STUDENT
    feedback: str | None = None
    min_score: str = ""  # marks of each assignment, or a share such as 80%
    seed: int | None = None
    student: str = ""
    practice: bool = False
    pack: Path | None = None  # the private parts as one file, instead of a folder reference/
    pack_digest: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


def run(setting: Setting, request: Request) -> Exit:
    """Grade, tell, and say with the exit code whether a person has to look."""
    if request.pack is None:
        return _run(setting, request)
    if setting.reference is not None:
        raise UsageError("--pack and --reference are two ways to say the same; give one of them")
    if not request.pack_digest:
        raise UsageError("--pack needs --pack-digest: a grading run uses the pack that was pinned, or none")
    with unpacked(setting.folder / request.pack, request.pack_digest) as folder:
        return _run(replace(setting, reference=folder), request)


def _run(setting: Setting, request: Request) -> Exit:
    bar = _Bar(request.min_score)
    course = setting.course()
    _check_reference(course, request)
    with tempfile.TemporaryDirectory(prefix="grader-ci-") as scratch:
        change = _read(setting, request, course, Path(scratch))
        graded = _graded(setting, request, course, change) if change.touched else []
        remarks = line_remarks(graded, setting.lang)
    tell(setting, request.out, request.environment, change, graded, request.audience, remarks)
    return _verdict(request, graded, bar)


def _read(setting: Setting, request: Request, course: Course, scratch: Path) -> Change:
    folder = setting.folder / request.repository
    asked = asked_for(request.head, request.base, request.environment, folder)
    borrowed, taken = scratch / "git", scratch / "taken"
    borrowed.mkdir()
    repository = Repository(folder, borrowed, setting.environment)
    return read_change(course, asked, repository, request.names, taken)


def _graded(setting: Setting, request: Request, course: Course, change: Change) -> list[Graded]:
    seed = PUBLIC_SEED if request.public else settle_seed(request.seed)
    _withhold_secrets(os.environ)
    student = request.student or (change.asked.repository or "submission").rsplit("/", 1)[-1]
    jobs = [
        Job(str(each.folder), each.assignment.name, seed, setting.lang, student, (student,) if request.student else (),
            public_only=request.public)
        for each in change.touched
    ]  # fmt: skip
    level = "public" if request.public else request.feedback or course.before_deadline
    with setting.engine(practice=request.public or request.practice) as engine:
        staff = [document for _, document in engine.map(jobs)]
        advice = _public_forms(engine, jobs) if level == "public" and not request.public else staff
    return [
        _one(each, document, public, change, level, setting.lang)
        for each, document, public in zip(change.touched, staff, advice, strict=True)
    ]


def _public_forms(engine: Engine, jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Where nothing of a hidden run may be shown, a student still sees what the public checks say."""
    public = [Job(j.path, j.assignment, PUBLIC_SEED, j.lang, j.submission_id, j.students, True) for j in jobs]
    return [document for _, document in engine.map(public)]


def _one(
    each: Touched, document: dict[str, Any], public: dict[str, Any], change: Change, level: str, lang: str
) -> Graded:
    """The staff form with what the repository showed, and the student's form at its level."""
    staff, shown = (_with_facts(each, one, change, lang) for one in (document, public))
    student = for_student(shown, feedback=level)
    if level == "public":
        student["reason"] = shown["reason"]
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


def _check_reference(course: Course, request: Request) -> None:
    if not request.public and not any(assignment.reference for assignment in course.assignments):
        raise UsageError("there is no reference/ here: name it with --reference or --pack, or give --public")


def _withhold_secrets(environment: MutableMapping[str, str]) -> None:
    """Take away what looks like a secret before anything is started. The walls hold without this, too."""
    for name in [name for name in environment if _SECRET.search(name.upper())]:
        del environment[name]
        note(f"{name} is withheld from the grading processes; a grading step needs no secret")


class _Bar:
    """What ``--min-score`` asks of each assignment."""

    def __init__(self, written: str) -> None:
        found = _BAR.fullmatch(written.strip()) if written else None
        if written and found is None:
            raise UsageError(f"--min-score {written}: write marks such as 12, or a share such as 80%")
        self._least = float(found[1]) if found else 0.0
        self._share = bool(found and found[2])

    def missed(self, document: Mapping[str, Any]) -> bool:
        least = self._least / 100 * document["max_score"] if self._share else self._least
        return document["score"] is not None and document["score"] < least


def _verdict(request: Request, graded: Iterable[Graded], bar: _Bar) -> Exit:
    documents = [each.staff for each in graded]
    code = exit_for(document["status"] for document in documents)
    if code is not Exit.DONE:
        return code
    if request.public:
        passed = all(test["outcome"] == Outcome.PASSED for document in documents for test in document["tests"])
        return Exit.DONE if passed else Exit.NOT_ENOUGH
    for document in documents:
        if bar.missed(document):
            note(f"below the bar: {document['assignment']} has {marks(document['score'])} marks")
            code = Exit.NOT_ENOUGH
    return code
