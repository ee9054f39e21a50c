"""A class before anything is graded: where each hand-in lies, whose it is, who handed in nothing."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import grader
from grader.commands.class_late import times_of
from grader.commands.console import write_atomically
from grader.commands.folder_names import folder_names
from grader.document import to_document
from grader.errors import UsageError
from grader.gradebook.guard import guarded
from grader.intake.attempts import newest_only
from grader.intake.drop import PLAIN, Drop, Gathered, hand_ins_of, open_drop, refuse_classes, stage, unwrapped
from grader.intake.identity import Owned, owners
from grader.intake.map_file import read_map
from grader.intake.roster import Student, read_roster
from grader.intake.sections import taken_apart
from grader.late import HandedIn
from grader.model.course import Assignment, Text
from grader.model.outcome import Status
from grader.model.report import GradeReport, Isolation
from grader.model.submission import Flag

_HOW = {
    "map": "as map.csv says", "id": "by the student id", "account": "by the account", "name": "by the name",
    "layout": "by the layout", "": "not on the roster",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to read, and what the teacher says about it."""

    drop: Path
    out: Path
    assignment: Assignment
    layout: str = ""
    pattern: str = ""
    roster: Path | None = None
    told: Path | None = None
    times: Path | None = None  # a sheet that says when each student handed in


@dataclass(frozen=True, slots=True)
class ClassIn:
    """Facts by submission id, in order, and the lines that tell a person what was found."""

    assignment: Assignment
    paths: Mapping[str, Path]
    students: Mapping[str, tuple[str, ...]]
    flags: Mapping[str, tuple[Flag, ...]]
    reasons: Mapping[str, Text | None]
    people: Mapping[str, tuple[str, str]]  # name and email by student id
    times: Mapping[str, HandedIn]
    absent: tuple[Student, ...]
    mapping: tuple[str, ...]
    accounts: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)  # by submission and student

    def missing(self, seed: int, lang: str) -> list[dict[str, Any]]:
        """A document for each student of the roster who handed in nothing."""
        return [self._missing(student, seed, lang) for student in self.absent]

    def _missing(self, student: Student, seed: int, lang: str) -> dict[str, Any]:
        a, reason = self.assignment, Text("nothing was handed in", "未提交")
        submission = {"id": student.student_id, "students": [student.student_id]}
        return to_document(
            GradeReport(a.name, a.digest, submission, Status.MISSING, None, a.max_score, reason.pick(lang), seed, lang,
                        Isolation(), grader.__version__, 0.0)
        )  # fmt: skip


def read_class(wanted: Wanted) -> ClassIn:
    """Find every hand-in and its students; archives are packed anew under ``out/staged``.

    Raises:
        UsageError: the drop, the roster or the map is of no use; says which line of which file, and what to do.
    """
    roster = read_roster(wanted.roster) if wanted.roster else ()
    drop = open_drop(wanted.drop)
    try:
        drop = drop if wanted.pattern else unwrapped(drop, wanted.assignment.name)
        layout, gathered = hand_ins_of(drop, wanted.assignment.name, wanted.layout, wanted.pattern)
        if layout == PLAIN and not wanted.layout:
            refuse_classes(drop, gathered, wanted.assignment.name)
        if layout == PLAIN:
            gathered = taken_apart(drop, gathered, roster, wanted.assignment)
        known = [hand_in.submission for hand_in in gathered.hand_ins]
        told = read_map(wanted.told, known, roster) if wanted.told else {}
        every = owners(gathered.hand_ins, roster, told)
        chosen = _apart(newest_only(every))
        _write_map(wanted.out, every, told)
        found = _staged(wanted, drop, roster, chosen, _told(layout, gathered, every, drop, wanted))
        return replace(found, accounts=_accounts(layout, chosen, roster))
    except OSError as wrong:
        raise UsageError(f"cannot write below {wanted.out}: {wrong.strerror or wrong}") from None
    finally:
        drop.close()


def _accounts(
    layout: str, owned: Sequence[Owned], roster: Sequence[Student]
) -> dict[tuple[str, str], Mapping[str, str]]:
    """What roster and platform know a student by besides: an export finds rows by it, and names what goes back."""
    known = {s.student_id: {"login": s.login, "sis_id": s.sis_id, "github": s.github} for s in roster}
    accounts: dict[tuple[str, str], Mapping[str, str]] = {
        (s.student_id, s.student_id): known[s.student_id] for s in roster
    }
    for one in owned:
        named = one.hand_in.people[0].name if len(one.hand_in.people) == 1 else ""
        there = {"platform": layout, "back": one.hand_in.back, "named": named}
        for person in one.people:
            accounts[one.hand_in.submission, person.id] = {**known.get(person.id, {}), **there}
    return {whose: {key: value for key, value in facts.items() if value} for whose, facts in accounts.items()}


def _apart(owned: Sequence[Owned]) -> list[Owned]:
    """Submission ids that no two share: names that are one but for their place get a number."""
    seen: Counter[str] = Counter()
    apart = []
    for one in owned:
        name = one.hand_in.submission
        seen[name] += 1
        if seen[name] > 1:
            one = replace(one, hand_in=replace(one.hand_in, submission=f"{name} [{seen[name]}]"))
        apart.append(one)
    return apart


def _staged(
    wanted: Wanted, drop: Drop, roster: Sequence[Student], owned: Sequence[Owned], mapping: Sequence[str]
) -> ClassIn:
    place = wanted.out / "staged"
    if drop.archive is not None or any(one.hand_in.whole is None for one in owned):
        place.mkdir(parents=True, exist_ok=True)
    names = folder_names(one.hand_in.submission for one in owned)
    staged = {o.hand_in.submission: stage(drop, o.hand_in, place / names[o.hand_in.submission]) for o in owned}
    here = {person.id for one in owned for person in one.people}
    people = {s.student_id: (s.name, s.email) for s in roster}
    people |= {p.id: (p.name, p.email) for one in owned for p in one.people if p.id not in people}
    absent = tuple(student for student in roster if student.student_id not in here)
    return ClassIn(
        wanted.assignment,
        {name: found.path for name, found in staged.items()},
        {o.hand_in.submission: tuple(p.id for p in o.people) for o in owned},
        {o.hand_in.submission: (*o.flags, *staged[o.hand_in.submission].flags) for o in owned},
        {name: found.reason for name, found in staged.items()},
        people,
        times_of(owned, wanted.times),
        absent,
        (*mapping, *(f"  handed in nothing: {s.student_id} {s.name}".rstrip() for s in absent)),
    )


def _told(layout: str, gathered: Gathered, every: Sequence[Owned], drop: Drop, wanted: Wanted) -> list[str]:
    lines = [f"opened {drop.within}, which is all there is"] if drop.within else []
    lines.append(f"found {len(every)} in the layout {layout} (--layout or --pattern to overrule)")
    for one in every:
        who = ", ".join(f"{person.id} {person.name}".strip() for person in one.people)
        lines.append(f"  {one.hand_in.shown} -> {who} ({_HOW[one.by]})")
    lines += [f"  left aside: {entry.path}" for entry in gathered.rest[:20]]
    lines += [f"  left out: {what}" for what in drop.left_out[:20]]
    left = sum(not one.by for one in every)
    if left:
        lines.append(f"{left} are not on the roster: fill in {wanted.out / 'map.csv'} and pass it back with --map")
    return lines


def _write_map(out: Path, every: Sequence[Owned], told: Mapping[str, Sequence[str]]) -> None:
    """``map.csv``: what was told before, and what is left to fill in."""
    rows = [(one.hand_in.submission, student, one.hand_in.shown)
            for one in every for student in told.get(one.hand_in.submission, () if one.by else ("",))]  # fmt: skip
    if not rows:
        return
    out.mkdir(parents=True, exist_ok=True)
    sheet = io.StringIO()
    table = [("submission", "student_id", "found"), *(tuple(map(guarded, row)) for row in rows)]
    csv.writer(sheet, lineterminator="\r\n").writerows(table)
    write_atomically(out / "map.csv", sheet.getvalue().encode())
