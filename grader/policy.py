"""Turns what a submission uses and tries into flags for staff; a flag costs marks only where the assignment says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from grader.loading import Loaded, Seen
from grader.model.course import Assignment
from grader.model.outcome import Outcome
from grader.model.report import TestResult
from grader.model.submission import Flag, Place

_TOLD: Final = 5  # different attempts of one kind
_ATTEMPTS: Final[Mapping[str, str]] = MappingProxyType({
    "file_access": "the code tried to use files",
    "network": "the code tried to use the network",
    "process": "the code tried to start, copy or signal a process",
    "native_code": "the code loaded native libraries by itself",
    "snooping": "the code looked into the interpreter it runs in",
})  # fmt: skip


def policy_flags(assignment: Assignment, loaded: Loaded, seen: Sequence[Seen] = ()) -> tuple[Flag, ...]:
    """Forbidden library calls, read in the code or seen running (the first carries the cost), then attempts."""
    return (*_forbidden(assignment, loaded, seen), *_attempts(seen))


def protocol_flags(tests: Iterable[TestResult], while_loading: Sequence[str]) -> tuple[Flag, ...]:
    """One flag where workers ended because what they sent was no answer that honest code can cause."""
    broken = [t for t in tests if t.outcome is Outcome.DIED and "broke the protocol" in t.detail]
    how = [*while_loading, *(t.detail for t in broken)]
    if not how:
        return ()
    detail = f"what came from the code's process was no answer; it was ended ({len(how)} times; first: {how[0][:200]})"
    return (Flag("protocol", detail, next((t.place for t in broken), None)),)


def _forbidden(assignment: Assignment, loaded: Loaded, seen: Sequence[Seen]) -> list[Flag]:
    read: dict[str, Place | None] = {}
    for name, place in loaded.library_use:
        read.setdefault(name, place)
    ran = {s.what: s for s in seen if s.kind == "forbidden_call" and s.what in assignment.forbidden.calls}
    flags: list[Flag] = []
    for name in dict.fromkeys((*read, *ran)):
        run = ran.get(name)
        place = read.get(name) or (run.place if run else None)
        costs = assignment.forbidden.costs if not flags else Fraction(0)
        flags.append(Flag("forbidden_call", _words(name, name in read, run), place, costs))
    return flags


def _words(name: str, is_read: bool, run: Seen | None) -> str:
    if run is None:
        return f"{name} stands in the code; it was not seen running"
    times = "once" if run.count == 1 else f"{run.count} times"
    return (
        f"{name} stands in the code and ran ({times})"
        if is_read
        else f"{name} ran ({times}), whatever the code calls it"
    )


def _attempts(seen: Sequence[Seen]) -> list[Flag]:
    flags = []
    for kind, words in _ATTEMPTS.items():
        found = [s for s in seen if s.kind == kind]
        if found:
            told = ", ".join(f"{s.what}{f' x {s.count}' if s.count > 1 else ''}" for s in found[:_TOLD])
            more = f", and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
            flags.append(Flag(kind, f"{words}: {told}{more}", found[0].place))
    return flags
