"""Clones of students' repositories: ``{assignment}-{user}`` folders. Nothing in ``.git`` is read or run."""

from __future__ import annotations

from grader.intake.drop.hand_in import Gathered, HandIn, Person, Tree, newest

NAME = "clones"
_SUBMISSIONS = "-submissions"


def fits(tree: Tree) -> bool:
    """Most folders are repositories, or all begin as the name of the folder around them says."""
    folders = [entry for entry in tree.top if entry.is_folder]
    cloned = sum(entry.path in tree.drop.repositories for entry in folders)
    return bool(folders) and (cloned * 2 > len(folders) or _by_name(tree, [entry.name for entry in folders]) != "")


def gather(tree: Tree, assignment: str) -> Gathered:
    """One hand-in a repository; the user is what its name does not share with the others."""
    folders = [entry for entry in tree.top if entry.is_folder]
    names = [entry.name for entry in folders]
    shared = _by_name(tree, names) or _by_assignment(names, assignment) or _shared(names)
    hand_ins = []
    for entry in folders:
        user, pieces = entry.name.removeprefix(shared) or entry.name, tree.below(entry)
        hand_ins.append(HandIn(user, (Person(user),), pieces, entry.name, entry.name, entry, newest(pieces)))
    return Gathered(tuple(hand_ins), tuple(entry for entry in tree.top if not entry.is_folder))


def _by_name(tree: Tree, names: list[str]) -> str:
    slug = tree.name.removesuffix(_SUBMISSIONS) + "-" if tree.name.endswith(_SUBMISSIONS) else ""
    return slug if slug and all(name.startswith(slug) and name != slug for name in names) else ""


def _by_assignment(names: list[str], assignment: str) -> str:
    for slug in (f"{assignment}-", f"{assignment.replace('_', '-')}-"):
        if all(name.startswith(slug) and name != slug for name in names):
            return slug
    return ""


def _shared(names: list[str]) -> str:
    """What all names begin with, up to a hyphen."""
    first, last = min(names), max(names)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return first[: first.rfind("-", 0, same) + 1]
