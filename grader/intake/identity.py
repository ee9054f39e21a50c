"""Whose hand-in it is: the teacher's map first, then the roster, then what the platform says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from grader.errors import UsageError
from grader.intake.drop.hand_in import HandIn, Person
from grader.intake.roster import Student
from grader.intake.table import read_table
from grader.model.submission import Flag

_SHORTEST_ID = 4  # characters: a shorter one of digits or letters alone occurs in names by chance


@dataclass(frozen=True, slots=True)
class Owned:
    """A hand-in and its students. ``by`` says how that is known; "" where it is not."""

    hand_in: HandIn
    people: tuple[Person, ...]
    by: str
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class _Marks:
    """What tells a student in a path."""

    student: Student
    id: str
    id_there: str  # patterns as text: most are never looked for, and thousands take seconds to compile
    word: str  # the name's first, "" where there is none
    name_there: str


def owners(hand_ins: Iterable[HandIn], roster: Sequence[Student], told: Mapping[str, Sequence[str]]) -> list[Owned]:
    """Each hand-in with its students; without a roster, as the layout has it."""
    by_id = {student.student_id: student for student in roster}
    marks = [_marks(student) for student in roster]
    accounts = _accounts(roster)
    return [_owner(hand_in, marks, accounts, by_id, told.get(hand_in.submission, ())) for hand_in in hand_ins]


def newest_only(owned: Sequence[Owned]) -> list[Owned]:
    """Of several hand-ins by the same students the newest, as a whole, with a flag that says so."""
    groups: dict[tuple[str, ...], list[Owned]] = {}
    for one in owned:
        groups.setdefault(tuple(sorted(person.id for person in one.people)), []).append(one)
    kept = []
    for attempts in groups.values():
        best = max(attempts, key=lambda one: (one.hand_in.when, one.hand_in.shown))
        others = ", ".join(one.hand_in.shown for one in attempts if one is not best)
        note = Flag("several_attempts", f"{best.hand_in.shown} is the newest and was graded; not graded: {others}")
        kept.append(replace(best, flags=(*best.flags, note)) if others else best)
    return kept


def read_map(path: Path, known: Iterable[str], roster: Sequence[Student]) -> dict[str, list[str]]:
    """Submission to student ids, from a filled-in ``map.csv``; lines without an id say nothing.

    Raises:
        UsageError: with file, line and what to do.
    """
    submissions, ids = set(known), {student.student_id for student in roster}
    rows = read_table(path)
    line, header = next(rows, (1, []))
    if not {"submission", "student_id"} <= set(header):
        raise UsageError(f"{path}:{line}: the columns must be called submission and student_id")
    at, to = header.index("submission"), header.index("student_id")
    told: dict[str, list[str]] = {}
    for line, row in rows:
        submission, student = (row[i] if i < len(row) else "" for i in (at, to))
        if not student:
            continue
        if submission not in submissions:
            submission = submission.removeprefix("'")  # as we wrote it, so that no spreadsheet takes it for a formula
        if submission not in submissions:
            raise UsageError(f"{path}:{line}: the drop holds no submission {submission!r}; take the line out")
        if ids and student not in ids:
            raise UsageError(f"{path}:{line}: {student!r} is not on the roster; mend it here or there")
        told.setdefault(submission, []).append(student)
    return told


def _owner(
    hand_in: HandIn,
    roster: Sequence[_Marks],
    accounts: Mapping[str, set[Student]],
    by_id: Mapping[str, Student],
    told: Sequence[str],
) -> Owned:
    if told:
        people = tuple(_person(by_id[student]) if student in by_id else Person(student) for student in told)
        return Owned(hand_in, people, "map", hand_in.flags)
    if not roster:
        return Owned(hand_in, hand_in.people, "layout", hand_in.flags)
    if len(hand_in.people) > 1:
        return _group(hand_in, accounts)
    for texts in ([hand_in.label], hand_in.paths):
        folded = "\n".join(texts).casefold()
        found = [m.student for m in roster if m.id in folded and _holds_id(texts, m)]
        if len(found) == 1:
            return Owned(hand_in, (_person(found[0]),), "id", hand_in.flags)
        if found:
            return _left(hand_in)
    if (student := _known(hand_in.people[0], accounts, hand_in.ids_are_local)) is not None:
        return Owned(hand_in, (_person(student),), "account", hand_in.flags)
    for texts in ([hand_in.label], hand_in.paths):
        folded = "\n".join(texts).casefold()
        found = [m.student for m in roster if m.word in folded and _holds_name(texts, m)]
        longest = [s for s in found if not any(s.name != o.name and s.name in o.name for o in found)]
        if len(longest) == 1:
            return Owned(hand_in, (_person(longest[0]),), "name", hand_in.flags)
        if found:
            return _left(hand_in)
    return _left(hand_in)


def _group(hand_in: HandIn, accounts: Mapping[str, set[Student]]) -> Owned:
    known = [_known(person, accounts, local=False) for person in hand_in.people]
    people = tuple(p if s is None else _person(s) for p, s in zip(hand_in.people, known, strict=True))
    return Owned(hand_in, people, "account", hand_in.flags) if all(known) else replace(_left(hand_in), people=people)


def _left(hand_in: HandIn) -> Owned:
    note = Flag("not_on_roster", "nothing in its name tells exactly one student of the roster")
    return Owned(hand_in, hand_in.people, "", (*hand_in.flags, note))


def _accounts(roster: Sequence[Student]) -> dict[str, set[Student]]:
    """Students by each key a platform may know them by."""
    accounts: dict[str, set[Student]] = {}
    for student in roster:
        for key in (student.student_id, student.login, student.sis_id, student.github, student.email):
            if key:
                accounts.setdefault(key.casefold(), set()).add(student)
    return accounts


def _known(person: Person, accounts: Mapping[str, set[Student]], local: bool) -> Student | None:
    """The one student with this account."""
    said = (person.email,) if local else (person.email, person.id)
    found = {student for key in said for student in accounts.get(key.casefold(), ())}
    return next(iter(found)) if len(found) == 1 else None


def _person(student: Student) -> Person:
    return Person(student.student_id, student.name, student.email)


def _marks(student: Student) -> _Marks:
    """What to look for, made once a student: a class of thousands is compared with a roster of thousands."""
    words = re.findall(r"[^\W_]+", student.name)
    orders = [words, [words[-1], *words[:-1]]] if words else []
    ways = "|".join(r"[\W_]*".join(map(re.escape, order)) for order in orders)
    return _Marks(
        student,
        student.student_id.casefold(),
        rf"(?i)(?<![0-9A-Za-z]){re.escape(student.student_id)}(?![0-9A-Za-z])",
        words[0].casefold() if words else "",
        rf"(?i)(?<![^\W\d_])(?:{ways})(?![^\W\d_])",
    )


def _holds_id(texts: Iterable[str], marks: _Marks) -> bool:
    if len(marks.id) >= _SHORTEST_ID or (re.search(r"\d", marks.id) and re.search(r"[^\W\d]", marks.id)):
        return any(marks.id in text.casefold() and _pattern(marks.id_there).search(text) for text in texts)
    first = rf"(?i){re.escape(marks.id)}(?:[^0-9A-Za-z.(].*)?"  # alone, or in front of all else
    return any(marks.id == text[: len(marks.id)].casefold() and _pattern(first).fullmatch(text) for text in texts)


def _holds_name(texts: Iterable[str], marks: _Marks) -> bool:
    """Whether the name stands there as a whole, blanks and signs between its words or not, in either order."""
    word = marks.word
    return word != "" and any(word in text.casefold() and _pattern(marks.name_there).search(text) for text in texts)


_pattern = lru_cache(20_000)(re.compile)
