"""Grading what of a class is new or changed: every result is in the store before the next is looked at."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import grader
from grader.commands.class_files import ReportFiles
from grader.commands.class_in import ClassIn
from grader.commands.class_late import late_of, with_time_of
from grader.commands.class_out import ClassOut
from grader.commands.console import note
from grader.commands.progress import Progress
from grader.commands.setting import Setting
from grader.document import clean
from grader.engines.capacity import fitting, free_mib, usable_cores
from grader.late import HandedIn as Came
from grader.model.course import Course
from grader.model.submission import Flag, Job
from grader.store import HandedIn, Kept, Rubric, Seat, Store, conditions_of, content_digest, rubric_of

MISSING = "nothing handed in"


@dataclass(frozen=True, slots=True)
class Plan:
    """A class as it stands now, and what of it has to be graded."""

    found: ClassIn
    rubric: Rubric
    conditions: str
    handed_in: Mapping[str, HandedIn]  # by submission, in order
    seats: tuple[Seat, ...]
    jobs: tuple[Job, ...]
    fixed: int  # submissions whose marks are published: only a regrade moves these

    @property
    def submissions(self) -> list[str]:
        """Those that hold something."""
        return [name for name, each in self.handed_in.items() if each.digest != MISSING]


@dataclass(frozen=True, slots=True)
class Terms:
    """What one grading run is under."""

    seed: int
    lang: str
    practice: bool
    shard: tuple[int, int] = (1, 1)
    moves_published: bool = False
    late: Mapping[str, str] = field(default_factory=dict)  # what the store is to hold of the late policy
    new_times: bool = False  # a sheet was given; else what an earlier one said of the same bytes still holds


def plan(course: Course, found: ClassIn, store: Store, terms: Terms) -> Plan:
    """Compare the class with the store; the longest known go first."""
    conditions = conditions_of(course, found.assignment, {
        "grader": grader.__version__, "torch": _version("torch"), "numpy": _version("numpy"),
        "python": platform.python_version(), "seed": terms.seed, "lang": terms.lang, "practice": terms.practice,
    })  # fmt: skip
    paths = dict(_share(list(found.paths.items()), terms.shard))
    seats = _seats(found, list(paths), terms.shard)
    fixed = set() if terms.moves_published else _published(store, seats)
    before = {each.submission: each for each in store.handed_in()}
    known, durations = store.graded(conditions), store.durations()
    handed_in, jobs = {}, []
    for name, path in paths.items():
        if name in fixed:
            handed_in[name] = before[name]
            continue
        handed_in[name] = _handed_in(found, name, path, conditions, terms.lang)
        if not terms.new_times and name in before:
            handed_in[name] = with_time_of(handed_in[name], before[name])
        if (name, handed_in[name].digest) not in known:
            jobs.append(Job(str(path), found.assignment.name, terms.seed, terms.lang, name, found.students[name]))
    for student in _share(found.absent, terms.shard):
        handed_in[student.student_id] = HandedIn(student.student_id, conditions, MISSING)
    usual = sorted(durations.values())[len(durations) // 2] if durations else 0.0
    jobs.sort(key=lambda job: -durations.get(job.submission_id, usual))
    return Plan(found, rubric_of(found.assignment), conditions, handed_in, seats, tuple(jobs), len(fixed))


def grade(setting: Setting, store: Store, planned: Plan, terms: Terms, files: ReportFiles, jobs: int | None) -> None:
    """Run the plan's jobs; ``jobs`` processes side by side, None: one, in order."""
    _note_absent(store, planned, terms)
    if planned.fixed:
        note(f"{planned.fixed} published submissions are left as they are; 'grader regrade' moves them")
    if not planned.jobs:
        note(f"nothing new to grade; {len(planned.submissions)} are in the store")
        return
    already = len(planned.submissions) - len(planned.jobs) - planned.fixed
    if already > 0:
        note(f"{already} are graded already; {len(planned.jobs)} to grade")
    late = late_of(terms.late, planned.handed_in.values())
    folders, shown = files.folders(planned.submissions), ClassOut(store, planned.rubric, late)
    count = None if jobs is None else min(len(planned.jobs), jobs or fitting(usable_cores(), free_mib()))
    try:
        with (
            setting.engine(practice=terms.practice, jobs=count) as engine,
            Progress(len(planned.jobs), plain=setting.plain) as progress,
        ):
            for job, document in engine.map(planned.jobs):
                handed_in = planned.handed_in[job.submission_id]
                with store.transaction():
                    store.keep(_kept(planned, handed_in, document))
                    files.note_written()
                final = shown.completed(document, planned.rubric.digest, handed_in, list(job.students))
                files.write(folders[job.submission_id], final)
                progress.add(document)
    except KeyboardInterrupt:
        note("what was graded is kept; the same command goes on from there")
        raise


def graded_by_now(store: Store, planned: Plan) -> Plan | None:
    """The class as far as it is graded; None where the store shows one that was graded under other conditions."""
    before = store.handed_in()
    if any(each.conditions != planned.conditions for each in before):
        return None
    kept = {name: each for name, each in planned.handed_in.items() if store.holds(each)}
    return replace(planned, handed_in=kept, seats=tuple(seat for seat in planned.seats if seat.submission in kept))


def _share(entries: Sequence[Any], shard: tuple[int, int]) -> list[Any]:
    number, of = shard
    return [entry for at, entry in enumerate(entries) if at % of == number - 1]


def _handed_in(found: ClassIn, name: str, path: Path, conditions: str, lang: str) -> HandedIn:
    reason, came = found.reasons.get(name), found.times.get(name, Came())
    flags = tuple(as_flags(found.flags.get(name, ())))
    return HandedIn(
        name,
        conditions,
        content_digest(path),
        clean(str(path)),
        flags,
        clean(reason.pick(lang)) if reason else "",
        str(came.source),
        clean(came.when),
    )


def as_flags(flags: Iterable[Flag]) -> list[dict[str, Any]]:
    """Flags in the form of the report."""
    return [{"kind": f.kind, "detail": clean(f.detail), "costs": 0.0} for f in flags]


def _seats(found: ClassIn, submissions: Sequence[str], shard: tuple[int, int]) -> tuple[Seat, ...]:
    taken = [(name, student) for name in submissions for student in dict.fromkeys(found.students[name] or (name,))]
    absent = [(student.student_id, student.student_id) for student in _share(found.absent, shard)]
    return tuple(
        Seat(name, student, *found.people.get(student, ("", "")), found.accounts.get((name, student), {}))
        for name, student in [*taken, *absent]
    )


def _published(store: Store, seats: Sequence[Seat]) -> set[str]:
    """Submissions all of whose students have published marks."""
    held = {(each.submission, each.student_id) for each in store.published()}
    free = {seat.submission for seat in seats if (seat.submission, seat.student_id) not in held}
    known = {each.submission for each in store.handed_in()}
    return ({submission for submission, _ in held} & known) - free


def _note_absent(store: Store, planned: Plan, terms: Terms) -> None:
    known = store.graded(planned.conditions)
    for document in planned.found.missing(terms.seed, terms.lang):
        handed_in = planned.handed_in.get(document["submission"]["id"])
        if handed_in is not None and handed_in.digest == MISSING and (handed_in.submission, MISSING) not in known:
            store.keep(_kept(planned, handed_in, document))


def _kept(planned: Plan, handed_in: HandedIn, document: Mapping[str, Any]) -> Kept:
    return Kept(handed_in.submission, planned.conditions, handed_in.digest, planned.rubric.digest, document,
                float(document["duration_s"]), now())  # fmt: skip


def now() -> str:
    """This moment as ISO text in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
