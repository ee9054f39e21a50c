"""Which assignments a change touches, and where in a repository each one's hand-in lies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.ci.objects import Entry, Rename
from grader.intake.choice import Closeness, closeness
from grader.intake.folder import is_litter
from grader.intake.found import Found, kind_of, limit_of, stem_of
from grader.intake.handed_out import HandedOut, text_of
from grader.model.course import Assignment, Course

Read = Callable[[Entry], bytes]


@dataclass(frozen=True, slots=True)
class HandIn:
    """One assignment's part of a commit. ``entries`` hold all that lies there, code or not; ``home`` "" is the top."""

    assignment: Assignment
    home: str
    entries: tuple[Entry, ...]
    untouched: bool = False  # nothing but the stub that was handed out
    passed_over: str = ""  # an untouched stub in the place where the work was expected

    @property
    def code(self) -> Mapping[str, str]:
        return {entry.path: entry.sha for entry in self.entries if kind_of(entry.name) is not None}


def hand_ins(course: Course, entries: Sequence[Entry], read: Read) -> dict[str, HandIn]:
    """Each assignment that has a place in this commit, by name."""
    found = (_hand_in(course, assignment, entries, read) for assignment in course.assignments)
    return {each.assignment.name: each for each in found if each is not None}


def touched(before: Mapping[str, HandIn], after: Mapping[str, HandIn], read: Read) -> list[str]:
    """The assignments whose code is not what it was, in the order of the course; removed ones too."""
    names = [*after, *(name for name in before if name not in after)]
    return [name for name in names if _differs(before.get(name), after.get(name), after, read)]


def moved(
    course: Course, before: Mapping[str, HandIn], after: dict[str, HandIn], entries: Sequence[Entry],
    renames: Iterable[Rename],
) -> None:  # fmt: skip
    """Add to ``after`` the hand-ins that are known by where they came from alone: a file under a name of its own."""
    at = {entry.path: entry for entry in entries}
    for rename in renames:
        for name, old in before.items():
            if name in after or rename.new not in at or rename.old not in old.code:
                continue
            if kind_of(at[rename.new].name) is not None and _is_main(old.assignment, rename.old):
                home = at[rename.new].folder
                after[name] = HandIn(old.assignment, home, _below(course, old.assignment, home, entries))


def _hand_in(course: Course, assignment: Assignment, entries: Sequence[Entry], read: Read) -> HandIn | None:
    """At the likeliest place that holds work; where none does, at the likeliest place."""
    candidates = sorted(
        (rank, entry.path.count("/"), entry.path, entry)
        for entry in entries
        if (rank := _rank(course, assignment, entry)) is not None
    )
    homes = list(dict.fromkeys(entry.folder for *_, entry in candidates))
    stub, first = HandedOut(assignment), None
    for home in homes:
        here = [entry for *_, entry in candidates if entry.folder == home]
        untouched = all(_is_stub(stub, entry, read) for entry in here)
        passed_over = first.home if first else ""
        found = HandIn(assignment, home, _below(course, assignment, home, entries), untouched,
                       "" if first is None else f"{passed_over or '.'}/{assignment.file}")  # fmt: skip
        if not untouched:
            return found
        first = first or found
    return first


def _rank(course: Course, assignment: Assignment, entry: Entry) -> int | None:
    """How likely this is the assignment's file: 0 is best, None is not at all."""
    parts = entry.path.split("/")
    if kind_of(entry.name) is None or any(map(is_litter, parts)):
        return None
    near, own = closeness(entry.name, assignment), assignment.name in parts[:-1]
    if near is Closeness.AROUND or _of_another(course, assignment, parts[:-1]):
        return None
    named = near <= Closeness.SAME
    if own and named:
        return 0 if parts[:-1] == ["assignments", assignment.name] else 1
    if named:
        return 2
    return 3 if own and parts[-2] == assignment.name else None


def _of_another(course: Course, assignment: Assignment, folders: Sequence[str]) -> bool:
    """Whether the innermost folder that names an assignment names another one."""
    names = {each.name for each in course.assignments}
    innermost = next((part for part in reversed(folders) if part in names), assignment.name)
    return innermost != assignment.name


def _below(course: Course, assignment: Assignment, home: str, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    start = f"{home}/" if home else ""
    return tuple(
        entry
        for entry in entries
        if entry.path.startswith(start)
        and not any(map(is_litter, entry.path[len(start) :].split("/")))
        and not _of_another(course, assignment, entry.path.split("/")[:-1])
    )


def _is_main(assignment: Assignment, path: str) -> bool:
    return closeness(path.rsplit("/", 1)[-1], assignment) <= Closeness.SAME


def _is_stub(stub: HandedOut, entry: Entry, read: Read) -> bool:
    if not entry.is_regular or entry.size > limit_of(kind_of(entry.name)):
        return False
    return stub.is_untouched(text_of(Found(entry.path, read(entry))))


def _differs(old: HandIn | None, new: HandIn | None, every: Mapping[str, HandIn], read: Read) -> bool:
    if new is None or old is None:
        return new is not None or old is not None
    changed = {path for path, _ in old.code.items() ^ new.code.items()}
    return any(not _is_anothers(path, new, every, read) for path in changed)


def _is_anothers(path: str, hand_in: HandIn, every: Mapping[str, HandIn], read: Read) -> bool:
    """A file of another assignment in the same folder, which nothing here imports."""
    others = (each.assignment for name, each in every.items() if name != hand_in.assignment.name)
    if _is_main(hand_in.assignment, path) or not any(_is_main(other, path) for other in others):
        return False
    stem = re.escape(stem_of(path.rsplit("/", 1)[-1])).encode("utf-8", "surrogateescape")
    name = re.compile(rb"(?:^|[\"\s;])(?:from|import)\s[^\n#]*\b" + stem + rb"\b", re.MULTILINE)
    mine = (e for e in hand_in.entries if _is_main(hand_in.assignment, e.path) and e.is_regular)
    return not any(e.size <= limit_of(kind_of(e.name)) and name.search(read(e)) for e in mine)
