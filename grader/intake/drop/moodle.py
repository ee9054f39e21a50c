"""Moodle: ``{full name}_{number}_assignsubmission_{file|onlinetext}``, as folders or in front of each file's name."""

from __future__ import annotations

import re

from grader.intake.drop.entries import Entry
from grader.intake.drop.hand_in import Gathered, HandIn, Person, Piece, Tree, newest

NAME = "moodle"
# Read from the right: some sites put the user name in front of the full name.
_NAMED = re.compile(r"(?P<name>.*)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?")
_BLIND, _FILE = "Participant", "file"
_MANY = 3  # students of one name, and nobody else: it is nobody's name


def fits(tree: Tree) -> bool:
    """Most entries at the top are named so."""
    return sum(_NAMED.fullmatch(entry.name) is not None for entry in tree.top) * 2 > len(tree.top)


def gather(tree: Tree, assignment: str) -> Gathered:
    """One hand-in a number: its files and its online text. Where names are hidden, all have one."""
    groups: dict[str, tuple[str, list[Piece], list[Entry]]] = {}
    rest = []
    for entry in tree.top:
        found = _NAMED.fullmatch(entry.name)
        if found is None:
            rest.append(entry)
            continue
        _, pieces, wholes = groups.setdefault(found["id"], (found["name"], [], []))
        pieces.extend(tree.below(entry) if entry.is_folder else (Piece(found["file"] or entry.name, entry),))
        wholes.append(entry)
    names = {name for name, _, _ in groups.values()}
    blind = names == {_BLIND} or (len(groups) >= _MANY and len(names) == 1)  # in the site's own language
    return Gathered(tuple(_hand_in(number, *group, blind) for number, group in groups.items()), tuple(rest))


def _hand_in(number: str, name: str, pieces: list[Piece], wholes: list[Entry], blind: bool) -> HandIn:
    known = "" if blind else name
    whole = wholes[0] if len(wholes) == 1 and wholes[0].is_folder else None
    files = tuple(pieces)
    person = Person(number, known)
    back = _back(wholes)
    return HandIn(number, (person,), files, known, wholes[0].name, whole, newest(files), ids_are_local=True, back=back)


def _back(wholes: list[Entry]) -> str:
    """The folder as it came, or what stood in front of the file's name."""
    found = [match for entry in wholes if (match := _NAMED.fullmatch(entry.name))]
    first = next((match for match in found if match["kind"] == _FILE), found[0])
    return first[0][: first.start("file")] if first["file"] else f"{first[0]}/"
