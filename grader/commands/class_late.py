"""A class's late policy: read from its file, kept in the store, and when each hand-in came."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from pathlib import Path

from grader.commands.console import note
from grader.commands.setting import advice
from grader.errors import UsageError
from grader.gradebook.standings import Late
from grader.intake.identity import Owned
from grader.intake.worksheet import read_times
from grader.late import HandedIn, Source, Term, moment, read_term, term_from
from grader.model.report import Standing
from grader.reports.untrusted import one_line
from grader.store import HandedIn as Kept
from grader.store import Store

NOBODY = Path("none")  # what --term is told where no policy shall hold any longer
_LATE_FLAG = "late"
_FACT, _NAME = "term", "term_name"


def settle_term(store: Store, path: Path | None) -> dict[str, str]:
    """The facts to note of the policy that holds from now on: the file's, else the one that held before.

    Raises:
        UsageError: the file cannot be read.
        CourseError: it is wrong; says where.
    """
    if path is None:
        if held := store.fact(_FACT):
            note(f"the late policy of the last run holds ({store.fact(_NAME)}); --term none drops it")
        return {_FACT: held or "", _NAME: store.fact(_NAME) or ""}
    if path == NOBODY:
        return {_FACT: "", _NAME: ""}
    _, keys = read_term(path)
    return {_FACT: json.dumps(keys, ensure_ascii=False), _NAME: path.name}  # JSON is YAML, and the file is read again


def without_extensions(store: Store, students: Iterable[str]) -> dict[str, str]:
    """The facts to note of the policy that is held, without these students."""
    keys = json.loads(store.fact(_FACT) or "{}")
    gone = set(students)
    if not gone & set(keys.get("extensions") or {}):
        return {}
    left = {student: until for student, until in keys["extensions"].items() if student not in gone}
    return {_FACT: json.dumps({**keys, "extensions": left}, ensure_ascii=False)}


def late_of(facts: Mapping[str, str | None], handed_in: Iterable[Kept]) -> Late | None:
    """The policy of these facts over these hand-ins; None where there is none."""
    text = facts.get(_FACT)
    if not text:
        return None
    times = {each.submission: HandedIn(Source(each.source or Source.NONE), each.when) for each in handed_in}
    return Late(term_from(text.encode(), facts.get(_NAME) or "term"), times)


def held_facts(store: Store) -> dict[str, str | None]:
    """What the store holds of a policy."""
    return {_FACT: store.fact(_FACT), _NAME: store.fact(_NAME)}


def times_of(owned: Sequence[Owned], sheet: Path | None) -> dict[str, HandedIn]:
    """When each submission came: by the sheet that was given, else the platform's data, else its LATE mark.

    Raises:
        UsageError: the sheet is of no use; says which line, and what to do.
    """
    told = {} if sheet is None else _told(sheet)
    found = {one.hand_in.submission: _found(one, told) for one in owned}
    if sheet is not None and not any(each.source is Source.WORKSHEET for each in found.values()):
        raise UsageError(f"--times {sheet}: none of its students handed in anything here; is it the right sheet?")
    return found


def _told(sheet: Path) -> dict[str, str]:
    """Times by every key of a student; of several lines the latest."""
    told: dict[str, str] = {}
    for line in read_times(sheet):
        if moment(line.when, UTC) is None:
            raise UsageError(
                f"{sheet}:{line.number}: '{line.when}' is no time that can be read; write one like 2026-03-01 23:59"
            )
        for key in line.keys:
            told[key] = _later(told.get(key, ""), line.when)
    return told


def _found(one: Owned, told: Mapping[str, str]) -> HandedIn:
    people = [key for person in one.people for key in (person.id, person.email)]
    known = [told[key.casefold()] for key in (one.hand_in.submission, *people) if key and key.casefold() in told]
    if known:
        latest = ""
        for when in known:
            latest = _later(latest, when)
        return HandedIn(Source.WORKSHEET, latest)
    if moment(one.hand_in.submitted, UTC) is not None:
        return HandedIn(Source.LMS, one.hand_in.submitted)
    marked = any(flag.kind == _LATE_FLAG for flag in one.hand_in.flags)
    return HandedIn(Source.LATE_MARK) if marked else HandedIn()


def _later(first: str, second: str) -> str:
    old, new = moment(first, UTC), moment(second, UTC)
    return second if old is None or (new is not None and new > old) else first


def with_time_of(new: Kept, old: Kept) -> Kept:
    """With the time that a sheet told of the very same bytes; what was handed in anew came at another."""
    told = old.source == Source.WORKSHEET and old.digest == new.digest
    return replace(new, source=old.source, when=old.when) if told else new


def strangers(term: Term, students: Iterable[str]) -> Iterator[str]:
    """Students with an extension who are not of this class: most likely misspelt."""
    known = sorted(set(students))
    for student in term.extensions:
        if student not in known:
            near = advice(student, known)
            more = near if "did you mean" in near else ""
            yield f"late policy: nobody here is called {one_line(student, limit=60)}, who has an extension{more}"


def told_in_short(standings: Sequence[Standing]) -> str:
    """How many were late, on time, and cannot be told; "" where no policy holds."""
    counted = Counter(
        "unknown" if each.late_source == Source.NONE else "late" if each.late_days else "on time"
        for each in standings
        if each.late_source
    )
    if not counted:
        return ""
    off = sum(1 for each in standings if each.late_penalty)
    return (
        f"late policy: {counted['late']} late ({off} with marks off), {counted['on time']} on time, "
        f"{counted['unknown']} without a known time"
    )
