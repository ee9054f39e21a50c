"""One file, folder or archive a student, named for the student."""

from __future__ import annotations

import re
from collections import Counter

from grader.intake.drop.entries import Entry
from grader.intake.drop.hand_in import Gathered, HandIn, Person, Tree, newest

NAME = "plain"
# What a teacher keeps beside the hand-ins: tables, a note, and what an open office document leaves.
_BESIDE = re.compile(
    r".+\.(?:csv|tsv|xlsx?|ods|sqlite|log)|(?:read\W?me|(?:作业|提交|使用)?(?:说明|要求|說明))(?:\.\w+)?|~\$.*",
    re.IGNORECASE,
)


def fits(tree: Tree) -> bool:
    """Whatever there is."""
    return bool(tree.top)


def gather(tree: Tree, assignment: str) -> Gathered:
    """A folder's name or a file's stem is the student; the file's whole name where two would be one."""
    beside = tuple(entry for entry in tree.top if is_beside(entry))
    works = [entry for entry in tree.top if entry not in beside]
    counted = Counter(stem_of(entry) for entry in {entry.name: entry for entry in works}.values())
    return Gathered(tuple(hand_in(tree, e, "" if counted[stem_of(e)] == 1 else e.name) for e in works), beside)


def hand_in(tree: Tree, entry: Entry, student: str = "") -> HandIn:
    """One entry as the whole of a hand-in of ``student`` (its own name where that is "")."""
    student, pieces = student or stem_of(entry), tree.below(entry)
    return HandIn(student, (Person(student),), pieces, stem_of(entry), entry.name, entry, newest(pieces))


def is_beside(entry: Entry) -> bool:
    """Whether it is nobody's work by its name alone."""
    return not entry.is_folder and _BESIDE.fullmatch(entry.name) is not None


def stem_of(entry: Entry) -> str:
    """The name without its ending."""
    if entry.is_folder:
        return entry.name
    name = entry.name
    stem = name.rpartition(".")[0] or name
    return stem.removesuffix(".tar")
