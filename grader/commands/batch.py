"""``grader batch``: a class, in whatever layout it came; the same command again goes on where it was."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from grader.commands.class_files import ReportFiles, write_outputs
from grader.commands.class_in import ClassIn, Wanted, read_class
from grader.commands.class_late import NOBODY, settle_term
from grader.commands.class_notebooks import ready, write_pages
from grader.commands.class_out import ClassOut
from grader.commands.class_run import MISSING, Plan, Terms, grade, graded_by_now, plan
from grader.commands.class_shown import show
from grader.commands.console import note
from grader.commands.exits import Exit
from grader.commands.movements import Movements
from grader.commands.seeds import settle_seed
from grader.commands.setting import Setting, assignment_named
from grader.errors import UsageError
from grader.model.course import Course
from grader.reports.untrusted import one_line
from grader.store import Store, open_store

_PATHS = ("drop", "out", "roster", "told", "term", "times")


@dataclass(frozen=True, slots=True)
class Request:
    """A class to grade: ``drop`` is what the platform gave, ``out`` takes grades and reports."""

    drop: Path
    assignment: str
    out: Path
    seed: int | None = None
    feedback: str | None = None  # None: what course.yaml shows before the deadline
    practice: bool = False
    layout: str = ""  # "": seen from the names
    pattern: str = ""
    roster: Path | None = None
    told: Path | None = None  # a filled-in map.csv
    jobs: int | None = 0  # processes side by side; 0: as many as there is room for; None: one, in order
    pseudonyms: bool = False
    shard: str = ""  # "2/8": the second of eight parts
    term: Path | None = None  # the late policy; `class_late.NOBODY` drops the one of the last run
    times: Path | None = None  # a sheet that says when each student handed in
    pages: bool = False  # the graded notebooks as well

    def as_json(self) -> str:
        """What `from_json` makes a request of; the seed stands elsewhere."""
        return json.dumps({**asdict(replace(self, seed=None)), **{n: _text(getattr(self, n)) for n in _PATHS}})

    @classmethod
    def from_json(cls, text: str) -> Request:
        raw = {name: value for name, value in json.loads(text).items() if name in {f.name for f in fields(cls)}}
        return cls(**{**raw, **{name: Path(raw[name]) if raw[name] else None for name in _PATHS}})


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def run(setting: Setting, request: Request, movements: Movements | None = None) -> Exit:
    """Grade what is new or changed, each result safe as it comes; then the tables of the whole class.

    ``movements``: a regrade, which may move published marks where its rules say so.
    """
    if request.pages and movements is None:
        ready()
    course = setting.course()
    request = _absolute(setting, request)
    _check_out(request.drop, request.out)
    found = _read(course, request)
    shard = _shard(request)
    with open_store(request.out, new=True) as store:
        seed = _settled(store, request)
        policy = settle_term(store, request.term)
        terms = Terms(
            seed, setting.lang, request.practice, shard, movements is not None, policy, request.times is not None
        )
        feedback = request.feedback or course.before_deadline
        files = ReportFiles(request.out, store, feedback, pseudonyms=request.pseudonyms)
        planned = plan(course, found, store, terms)
        try:
            grade(setting, store, planned, terms, files, request.jobs)
        except BaseException:
            if movements is None:
                _show_what_is_done(store, planned, request, terms, feedback)
            raise
        done = _finish(store, planned, request, terms, movements)
        facts = write_class(store, request, feedback)  # after a refusal every report as it was
        code = show(setting, store, request.out, facts, part=bool(request.shard)) if done else Exit.NOT_ENOUGH
        if request.pages:
            write_pages(setting, store, request.out, pseudonyms=request.pseudonyms, paths=found.paths)
        return code


def _absolute(setting: Setting, request: Request) -> Request:
    """With paths that mean the same from anywhere."""
    drop, out = (setting.folder / request.drop).resolve(), (setting.folder / request.out).resolve()
    named = {name: getattr(request, name) for name in ("roster", "told", "term", "times")}
    files = {name: path if path is None or path == NOBODY else setting.folder / path for name, path in named.items()}
    return replace(request, drop=drop, out=out, **files)


def _check_out(drop: Path, out: Path) -> None:
    if drop.is_dir() and out.is_relative_to(drop):
        raise UsageError(f"--out {out} lies inside the drop; its reports would be graded as submissions")
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file")


def _read(course: Course, request: Request) -> ClassIn:
    assignment = assignment_named(course, request.assignment)
    found = read_class(Wanted(request.drop, request.out, assignment, request.layout, request.pattern,
                              request.roster, request.told, request.times))  # fmt: skip
    for line in found.mapping:
        note(one_line(line, limit=300))
    return found


def _shard(request: Request) -> tuple[int, int]:
    if not request.shard:
        return (1, 1)
    try:
        number, of = (int(part) for part in request.shard.split("/"))
    except ValueError:
        number, of = 0, 0
    if not 1 <= number <= of:
        raise UsageError(f"--shard {request.shard}: write i/n, such as 2/8 for the second of eight parts")
    if request.seed is None:
        raise UsageError("--shard needs --seed N, the same secret number for every part, or the parts cannot be merged")
    return number, of


def _settled(store: Store, request: Request) -> int:
    """The seed of this class: the store's, else the one asked for, else a fresh one.

    Raises:
        UsageError: the store holds another assignment or was made with another seed: old and new never mix.
    """
    assignment, noted = store.fact("assignment"), store.fact("seed")
    if assignment is not None and assignment != request.assignment:
        raise UsageError(f"{request.out} holds grades of {assignment}; choose another --out for {request.assignment}")
    if noted is not None and request.seed is not None and int(noted) != request.seed:
        raise UsageError(
            f"{request.out} was graded with another seed; leave --seed out to go on, or choose another --out"
        )
    seed = settle_seed(request.seed if noted is None else int(noted))
    store.note({"assignment": request.assignment, "seed": str(seed)})
    return seed


def _finish(
    store: Store, planned: Plan, request: Request, terms: Terms, movements: Movements | None, *, ended: bool = True
) -> bool:
    """The class as it is now, at once and as a whole; False where a regrade was refused and nothing has changed."""
    if movements is not None:
        movements.look(store)
    try:
        with store.transaction():
            store.put_class(planned.handed_in.values(), planned.seats)
            facts = {"rubric": planned.rubric.as_json(), "request": request.as_json(), "lang": terms.lang}
            store.note({**facts, **terms.late})
            if movements is not None and not movements.settle(store):
                raise _Refused
            if ended:
                store.drop_unused()
    except _Refused:
        return False
    return True


def _show_what_is_done(store: Store, planned: Plan, request: Request, terms: Terms, feedback: str) -> None:
    """The tables of what was graded before the run was ended; never of a class graded by different checks."""
    done = graded_by_now(store, planned)
    if done is None:
        note(f"the tables in {request.out} stay as they were until the same command has graded all of the class")
    elif done.submissions:
        _finish(store, done, request, terms, None, ended=False)
        write_class(store, request, feedback)
        waiting = len(planned.handed_in) - len(done.handed_in)
        note(f"{len(done.submissions)} are in {request.out / 'grades.csv'}; {waiting} wait for the same command")


class _Refused(Exception):
    pass


def write_class(store: Store, request: Request, feedback: str) -> dict[str, Any]:
    """Every file of the class, from the store; gives what ``triage.json`` holds."""
    files = ReportFiles(request.out, store, feedback, pseudonyms=request.pseudonyms)
    handed_in = [each.submission for each in store.handed_in() if each.digest != MISSING]
    files.write_all(ClassOut(store).documents(), files.folders(handed_in))
    return write_outputs(request.out, store, files.folders(handed_in), pseudonyms=request.pseudonyms)
