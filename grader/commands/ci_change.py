"""From what was asked to the change itself: two commits, what is touched, the files in clean folders."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.ci.changed import HandIn, hand_ins, moved, touched
from grader.ci.event import Asked, asked_by, asked_by_file
from grader.ci.objects import Entry, Repository
from grader.ci.protected import flags_of
from grader.ci.taking import LARGE, LeftOut, refused, take
from grader.commands.setting import assignment_named
from grader.errors import UsageError
from grader.intake.found import kind_of
from grader.model.course import Assignment, Course
from grader.model.submission import Flag

_PAYLOAD_LIMIT = 25_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Touched:
    """An assignment to grade. ``folder`` holds its code alone; ``hand_in`` None: it was taken away."""

    assignment: Assignment
    folder: Path
    hand_in: HandIn | None
    left_out: tuple[LeftOut, ...] = ()

    @property
    def home(self) -> str:
        return self.hand_in.home if self.hand_in else ""

    @property
    def flags(self) -> list[Flag]:
        found = [each.flag for each in self.left_out]
        if self.hand_in and self.hand_in.passed_over:
            found.append(Flag("elsewhere", f"{self.hand_in.passed_over} is the untouched stub; "
                                           f"what lies in {self.home or '.'}/ was graded"))  # fmt: skip
        return found


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be graded and what was noticed on the way. ``notes`` are for everybody, ``flags`` for staff."""

    asked: Asked
    head: str
    base: str | None
    touched: tuple[Touched, ...]
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()


def asked_for(head: str | None, base: str | None, environment: Mapping[str, str], folder: Path) -> Asked:
    """The change named on the command line, else the one a CI service names."""
    if head is None and base is None:
        return asked_by(environment, _payload(environment))
    if base is not None and not base.strip("0"):
        base = None  # how git and the services write "there was nothing before"
    return Asked(head or "HEAD", base, since_parting=True, repository=folder.resolve().name)


def asked_in(path: Path) -> Asked:
    """The change that ``grader ci take`` found. Raises ``UsageError`` for any other file."""
    try:
        with path.open("rb") as file:
            return asked_by_file(json.loads(file.read(_PAYLOAD_LIMIT)))
    except (OSError, ValueError) as wrong:
        raise UsageError(f"--change {path} cannot be read ({wrong}); 'grader ci take' writes it") from None


def read_change(course: Course, asked: Asked, repository: Repository, named: Sequence[str], into: Path) -> Change:
    """Find and take what is to be graded. Raises ``UsageError`` where the commit is not there."""
    if asked.nothing:
        return Change(asked, asked.head, None, (), notes=("a branch was deleted: there is nothing to grade",))
    head = repository.commit(asked.head)
    if head is None:
        raise UsageError(f"commit {asked.head} is not in this clone; fetch it (actions/checkout: fetch-depth: 0)")
    base, notes = _compared_with(repository, asked, head)
    after_entries = repository.entries(head)
    before_entries = None if base is None else repository.entries(base)
    after = hand_ins(course, after_entries, repository.blob)
    before = {} if before_entries is None else hand_ins(course, before_entries, repository.blob)
    if base is not None:
        moved(course, before, after, after_entries, repository.renames(base, head))
    names = _named(course, named) or _wanted(before, after, base, repository)
    each = tuple(_taken(course, name, after.get(name), repository, into) for name in names)
    flags = (*flags_of(before_entries, after_entries, course, repository.blob),
             *_odd(before_entries, after_entries, each, repository))  # fmt: skip
    return Change(asked, head, base, each, flags, tuple(notes))


def _payload(environment: Mapping[str, str]) -> dict[str, Any]:
    path = environment.get("GITHUB_EVENT_PATH")
    if not path:
        return {}
    try:
        with open(path, "rb") as file:
            payload = json.loads(file.read(_PAYLOAD_LIMIT))
    except (OSError, ValueError) as wrong:
        raise UsageError(f"GITHUB_EVENT_PATH: {path} cannot be read ({wrong}); give --base and --head") from None
    return payload if isinstance(payload, dict) else {}


def _compared_with(repository: Repository, asked: Asked, head: str) -> tuple[str | None, list[str]]:
    """The commit whose state is the old one. A clone without it: everything counts as changed, and that is said."""
    if asked.base is None:
        other = repository.commit(asked.fallback) if asked.fallback else None
        parted = repository.merge_base(other, head) if other else None
        return (None if parted == head else parted), []
    base = repository.commit(asked.base)
    if base is None:
        return None, [f"{asked.base[:10]} is not in this clone, so everything was graded; fetch-depth: 0 mends that"]
    if not asked.since_parting:
        return base, []
    return repository.merge_base(base, head) or base, []


def _named(course: Course, names: Sequence[str]) -> list[str]:
    return [assignment_named(course, name).name for name in names]


def _wanted(
    before: Mapping[str, HandIn], after: Mapping[str, HandIn], base: str | None, repository: Repository
) -> list[str]:
    """What changed; with nothing to compare, all that is more than the stub."""
    if base is None:
        return [name for name, each in after.items() if not each.untouched]
    return touched(before, after, repository.blob)


def _taken(course: Course, name: str, hand_in: HandIn | None, repository: Repository, into: Path) -> Touched:
    folder = into / name
    folder.mkdir(mode=0o700, parents=True)
    left_out = () if hand_in is None else take(hand_in, repository.blob, folder)
    return Touched(assignment_named(course, name), folder, hand_in, left_out)


def _odd(
    before: Sequence[Entry] | None, after: Sequence[Entry], taken: Sequence[Touched], repository: Repository
) -> list[Flag]:
    """Links, submodules, pointers and large files that came with this change, outside what was graded."""
    told = {each.path for one in taken for each in one.left_out}
    known = {(entry.path, entry.sha) for entry in before or ()}
    flags: list[Flag] = []
    for entry in after:
        special = not entry.is_regular or entry.size > LARGE or kind_of(entry.name) is not None or entry.size < 1_024
        if entry.path in told or (entry.path, entry.sha) in known or not special:
            continue
        if (wrong := refused(entry, repository.blob)) is not None:
            flags.append(wrong.flag)
        if len(flags) >= 20:
            break
    return flags
