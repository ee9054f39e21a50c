"""Which layout a drop has: told by the teacher, else the first that fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from grader.errors import UsageError
from grader.intake.drop import blackboard, canvas, clones, gradescope, moodle, nbgrader, pattern, plain
from grader.intake.drop.entries import Drop, Entry
from grader.intake.drop.hand_in import Gathered, Tree
from grader.intake.folder import ending_of_archive
from grader.intake.found import kind_of, stem_of
from grader.model.submission import Flag


@dataclass(frozen=True, slots=True)
class Layout:
    """A way to lay hand-ins out, and how to see and read it."""

    name: str
    fits: Callable[[Tree], bool]
    gather: Callable[[Tree, str], Gathered]


_LAYOUTS = tuple(
    Layout(module.NAME, module.fits, module.gather)
    for module in (gradescope, moodle, blackboard, canvas, nbgrader, clones, plain)
)
_ODD = Flag("odd_name", "its name is not what this layout uses; whose it is was taken from the name")
_WRAPPED_AT_MOST = 5  # folders around a class
NAMES = tuple(layout.name for layout in _LAYOUTS)


def hand_ins_of(drop: Drop, assignment: str, layout: str = "", by_pattern: str = "") -> tuple[str, Gathered]:
    """The layout's name and what it found.

    Raises:
        UsageError: an unknown layout, a pattern that does not work, or a drop without hand-ins.
    """
    if by_pattern:
        return pattern.NAME, _checked(pattern.gather(Tree(drop), pattern.compiled(by_pattern)), pattern.NAME)
    if layout and layout not in NAMES:
        raise UsageError(f"--layout {layout}: there is no such layout; there is {', '.join(NAMES)}")
    chosen, tree = _told(drop, layout, assignment) if layout else _seen(drop, assignment)
    return chosen.name, _checked(_nobody_lost(chosen.gather(tree, assignment), tree), chosen.name)


def _told(drop: Drop, name: str, assignment: str) -> tuple[Layout, Tree]:
    layout = next(layout for layout in _LAYOUTS if layout.name == name)
    trees = _trees(drop)
    if name == plain.NAME:
        return layout, _plain_tree(drop, assignment)
    return layout, next((tree for tree in trees if layout.fits(tree)), trees[0])


def _seen(drop: Drop, assignment: str) -> tuple[Layout, Tree]:
    *special, last = _LAYOUTS
    for tree in _trees(drop):
        for layout in special:
            if layout.fits(tree):
                return layout, tree
    return last, _plain_tree(drop, assignment)


def _trees(drop: Drop) -> list[Tree]:
    """The drop, and where everything lies in one folder, that folder."""
    tree = Tree(drop)
    folders = [entry for entry in tree.top if entry.is_folder]
    return [tree, tree.inside(folders[0])] if len(folders) == 1 else [tree]


def _plain_tree(drop: Drop, assignment: str) -> Tree:
    """Where the class begins: it may lie in one folder in one folder.

    An archive of a class often has one such folder. More of them, and those on disk, may be somebody's own, unless
    several of the things in the last hold a file of the assignment's name.
    """
    tree = inner = Tree(drop)
    for _ in range(_WRAPPED_AT_MOST):
        works_here = [entry for entry in inner.top if not plain.is_beside(entry)]
        if len(works_here) != 1 or not works_here[0].is_folder:
            break
        inner = inner.inside(works_here[0])
    works = [e for e in inner.top if e.is_folder or kind_of(e.name) is not None or ending_of_archive(e.name) != ""]
    if len(works) < 2 or any(kind_of(entry.name) is not None and stem_of(entry.name) == assignment for entry in works):
        return tree
    one_folder_of_an_archive = drop.archive is not None and "/" not in inner.base
    several = sum(entry.is_folder and _holds(inner, entry, assignment) for entry in works) > 1
    return inner if one_folder_of_an_archive or several else tree


def _holds(tree: Tree, entry: Entry, assignment: str) -> bool:
    return any(stem_of(piece.path.rsplit("/", 1)[-1]) == assignment for piece in tree.below(entry))


def _checked(gathered: Gathered, layout: str) -> Gathered:
    if not gathered.hand_ins:
        raise UsageError(f"the drop holds no hand-in in the layout {layout!r}; name another with --layout or --pattern")
    return gathered


def _nobody_lost(gathered: Gathered, tree: Tree) -> Gathered:
    """What fits no rule but may be somebody's work is a hand-in all the same, under its own name."""
    work = tuple(entry for entry in gathered.rest if entry.is_folder or kind_of(entry.name) is not None)
    rest = tuple(entry for entry in gathered.rest if entry not in work)
    odd = tuple(replace(plain.hand_in(tree, entry), flags=(_ODD,)) for entry in work)
    return Gathered((*gathered.hand_ins, *odd), rest)
