"""nbgrader: ``submitted/{student}/{assignment}/{notebook}``."""

from __future__ import annotations

from collections import Counter

from grader.errors import NotGradable, UsageError
from grader.intake.drop.entries import Entry
from grader.intake.drop.hand_in import Gathered, HandIn, Person, Tree, newest
from grader.intake.text import decode

NAME = "nbgrader"
_SUBMITTED, _TIME = "submitted", "timestamp.txt"
_TIME_LIMIT = 1_000  # bytes


def fits(tree: Tree) -> bool:
    """There is a folder ``submitted``, or the drop is one, or the times of collection lie where nbgrader puts them."""
    inner = _students(tree)
    folders = [entry for entry in inner.top if entry.is_folder]
    if not any(child.is_folder for folder in folders for child in inner.drop.children(folder.path)):
        return False
    return inner.name == _SUBMITTED or any(
        piece.path.count("/") == 1 and piece.path.endswith(f"/{_TIME}")
        for folder in folders
        for piece in inner.below(folder)
    )


def gather(tree: Tree, assignment: str) -> Gathered:
    """One hand-in a student, of the one assignment there is or the one of our name.

    Raises:
        UsageError: several assignments, none of them of our name.
    """
    tree = _students(tree)
    folders = [entry for entry in tree.top if entry.is_folder]
    wanted = _assignment(tree, folders, assignment)
    hand_ins = []
    for student in folders:
        for entry in tree.drop.children(student.path):
            if entry.is_folder and entry.name == wanted:
                pieces = tuple(piece for piece in tree.below(entry) if piece.path != _TIME)
                hand_ins.append(
                    HandIn(
                        student.name,
                        (Person(student.name),),
                        pieces,
                        student.name,
                        f"{student.name}/{wanted}",
                        entry,
                        newest(pieces),
                        _collected(tree, entry),
                    )
                )
    return Gathered(tuple(hand_ins), tuple(entry for entry in tree.top if not entry.is_folder))


def _collected(tree: Tree, folder: Entry) -> str:
    """The time that the exchange noted beside the files."""
    noted = next((piece for piece in tree.below(folder) if piece.path == _TIME), None)
    try:
        return "" if noted is None else decode(tree.drop.read(noted.entry, _TIME_LIMIT), _TIME).text.strip()
    except NotGradable:
        return ""


def _students(tree: Tree) -> Tree:
    inner = next((entry for entry in tree.top if entry.is_folder and entry.name == _SUBMITTED), None)
    return tree if inner is None else tree.inside(inner)


def _assignment(tree: Tree, students: list[Entry], name: str) -> str:
    counted = Counter(
        entry.name for student in students for entry in tree.drop.children(student.path) if entry.is_folder
    )
    same = [found for found in counted if found.casefold().replace("-", "_") == name.casefold()]
    if same or len(counted) == 1:
        return (same or list(counted))[0]
    raise UsageError(
        f"the students' folders hold several assignments ({', '.join(sorted(counted)[:8])}), none called {name}; "
        "say which with --pattern, for example '(?P<student_id>[^/]+)/ps1/(?P<file>.+)'"
    )
