"""Archives of a class inside a drop: the only one is the class, several are not each a student's work."""

from __future__ import annotations

import tempfile
from pathlib import Path

from grader.errors import NotGradable, UsageError
from grader.intake.drop.entries import Drop, Entry
from grader.intake.drop.hand_in import Gathered, HandIn
from grader.intake.drop.layouts import hand_ins_of
from grader.intake.drop.opening import ending_of_class, open_drop
from grader.intake.drop.plain import NAME as PLAIN
from grader.intake.drop.plain import is_beside
from grader.intake.found import stem_of

_INNER_LIMIT = 2_000_000_000  # bytes
_PLATFORMS = frozenset({"gradescope", "moodle", "blackboard", "canvas"})  # no student packs like these


def unwrapped(drop: Drop, assignment: str) -> Drop:
    """The class in the only archive of the drop, where it holds one; else the drop as it is."""
    files = [entry for entry in drop.entries if not entry.is_folder and not is_beside(entry)]
    if len(files) != 1 or not ending_of_class(files[0].name) or drop.within:
        return drop
    try:
        inner = _opened(drop, files[0])
    except (UsageError, NotGradable):  # one student's, and damaged: that will be said of the student
        return drop
    if _is_class(inner, assignment):
        inner.within = files[0].path
        inner.kept.callback(drop.close)
        return inner
    inner.close()
    return drop


def refuse_classes(drop: Drop, gathered: Gathered, assignment: str) -> None:
    """Raises ``UsageError`` where what would be a student's is a platform's archive of several students' work."""
    archives = [one.whole for one in gathered.hand_ins if one.whole is not None and ending_of_class(one.whole.name)]
    found = {entry.name: layout for entry in archives if (layout := _platform_of(drop, entry, assignment))}
    if found:
        told = ", ".join(f"{name} ({layout})" for name, layout in found.items())
        raise UsageError(
            f"archives of a whole class lie here where a student's would: {told}; unpack them all into one folder, "
            "or grade each into an OUT of its own with the same --seed and join these with 'grader merge'; "
            "--layout plain takes each for one student's"
        )


def _platform_of(drop: Drop, entry: Entry, assignment: str) -> str:
    """The platform that packed several students' work into this archive, else ""."""
    try:
        inner = _opened(drop, entry)
    except (UsageError, NotGradable):  # damaged: that will be said of the student
        return ""
    try:
        layout, inside = hand_ins_of(inner, assignment)
    except UsageError:
        return ""
    finally:
        inner.close()
    people = {person.id for one in inside.hand_ins for person in one.people}
    return layout if layout in _PLATFORMS and len(people) > 1 else ""


def _opened(drop: Drop, entry: Entry) -> Drop:
    if entry.on_disk is not None:
        return open_drop(entry.on_disk)
    folder = tempfile.TemporaryDirectory()
    try:
        path = Path(folder.name) / f"class{ending_of_class(entry.name)}"
        path.write_bytes(drop.read(entry, _INNER_LIMIT))
        inner = open_drop(path)
    except BaseException:
        folder.cleanup()
        raise
    inner.name = entry.name[: len(entry.name) - len(ending_of_class(entry.name))]
    inner.kept.callback(folder.cleanup)
    return inner


def _is_class(inner: Drop, assignment: str) -> bool:
    """Whether it holds several students' work, not the several files of one."""
    try:
        layout, gathered = hand_ins_of(inner, assignment)
    except UsageError:
        return False
    several = len(gathered.hand_ins) > 1
    if layout != PLAIN or not several:
        return several
    files = [hand_in for hand_in in gathered.hand_ins if hand_in.whole is None or not hand_in.whole.is_folder]
    lone = any(stem_of(hand_in.shown) == assignment for hand_in in files)
    named = sum(_holds(hand_in, assignment) for hand_in in gathered.hand_ins)
    return not lone and named != 1


def _holds(hand_in: HandIn, assignment: str) -> bool:
    return any(assignment in path.rsplit("/", 1)[-1].lower() for path in hand_in.paths)
