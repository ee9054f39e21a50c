"""``grader ci``: grades what a change of a repository touches, and tells the CI service and the student."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.ci.objects import Repository
from grader.commands.ci_change import Change, asked_for, asked_in, read_change
from grader.commands.ci_feedback import Rules, Shown, settle
from grader.commands.ci_grading import Graded, How, grade
from grader.commands.ci_tell import line_remarks, tell
from grader.commands.console import note
from grader.commands.exits import Exit, exit_for
from grader.commands.setting import Setting
from grader.errors import UsageError
from grader.model.course import Audience, Course
from grader.model.outcome import Outcome
from grader.release.pack import unpacked

_BAR = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


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
    change: Path | None = None  # what 'grader ci take' found out about a pull request
    term: Path | None = None  # the late policy: a deadline is in it
    ledger: Path | None = None  # counts the runs of which a student was told
    handed_in: str = ""  # when the push came, by the server's clock
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
        how = How(request.student or _called(change), bool(request.student), request.public, request.practice,
                  request.seed)  # fmt: skip
        shown = _shown(setting, request, course, change, how)
        graded = grade(setting, change, shown, how) if change.touched else []
        remarks = line_remarks(graded, setting.lang)
    if change.touched:
        shown.note_run()
    change = replace(change, notes=(*change.notes, *(text.pick(setting.lang) for text in shown.notes)))
    tell(setting, request.out, request.environment, change, graded, request.audience, remarks)
    return _verdict(request, graded, bar)


def _called(change: Change) -> str:
    return (change.asked.repository or "submission").rsplit("/", 1)[-1]


def _shown(setting: Setting, request: Request, course: Course, change: Change, how: How) -> Shown:
    if request.public:
        return Shown("public")
    term, ledger = (None if path is None else setting.folder / path for path in (request.term, request.ledger))
    handed_in = request.handed_in or change.asked.handed_in
    rules = Rules(term, ledger, handed_in if term is not None else request.handed_in, request.feedback)
    if request.audience is Audience.STAFF and ledger is None:  # nobody else reads it
        course = replace(course, hidden_runs_per_day=0)
    return settle(course, rules, how.student, change.head)


def _read(setting: Setting, request: Request, course: Course, scratch: Path) -> Change:
    folder = setting.folder / request.repository
    if request.change is not None:
        asked = asked_in(setting.folder / request.change)
    else:
        asked = asked_for(request.head, request.base, request.environment, folder)
    borrowed, taken = scratch / "git", scratch / "taken"
    borrowed.mkdir()
    repository = Repository(folder, borrowed, setting.environment)
    return read_change(course, asked, repository, request.names, taken)


def _check_reference(course: Course, request: Request) -> None:
    if not request.public and not any(assignment.reference for assignment in course.assignments):
        raise UsageError("there is no reference/ here: name it with --reference or --pack, or give --public")


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
            note(f"below the bar: {document['assignment']}")
            code = Exit.NOT_ENOUGH
    return code
