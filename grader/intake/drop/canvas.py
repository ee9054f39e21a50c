"""Canvas: one flat archive, ``{name}[_LATE]_{user id}_{attachment id}_{the student's file name}``."""

from __future__ import annotations

import re

from grader.intake.drop.hand_in import Gathered, HandIn, Person, Piece, Tree, newest
from grader.model.submission import Flag

NAME = "canvas"
# The leftmost pair of numbers is the platform's: a student's own name may hold more. Text entries have one number.
_REST = r"(?:(?P<attachment>\d+)_(?P<file>.+)|(?P<text>(?:text|link)\.html))"
_NAMED = re.compile(rf"(?P<name>.*?)(?P<late>_LATE)?_(?P<id>\d+)_{_REST}")
_ANONYMOUS = re.compile(rf"(?P<late>LATE_)?anon_(?P<id>[0-9A-Za-z]+)(?P<late_after>_LATE)?_{_REST}")


def fits(tree: Tree) -> bool:
    """Most files at the top are named so."""
    files = [entry for entry in tree.top if not entry.is_folder]
    return sum(_match(entry.name) is not None for entry in files) * 2 > len(tree.top)


def gather(tree: Tree, assignment: str) -> Gathered:
    """One hand-in a user id: a Canvas archive holds the files of the last attempt alone."""
    groups: dict[str, list[tuple[re.Match[str], Piece]]] = {}
    rest = []
    for entry in tree.top:
        found = None if entry.is_folder else _match(entry.name)
        if found is None:
            rest.append(entry)
            continue
        piece = Piece(found["file"] or found["text"], entry)
        groups.setdefault(found["id"], []).append((found, piece))
    return Gathered(tuple(_hand_in(user, items) for user, items in groups.items()), tuple(rest))


def _hand_in(user: str, items: list[tuple[re.Match[str], Piece]]) -> HandIn:
    found = items[0][0]
    name = found.groupdict().get("name") or ""
    pieces = tuple(piece for _, piece in items)
    late = any(match["late"] or match.groupdict().get("late_after") for match, _ in items)
    flags = (Flag("late", "Canvas marked it LATE"),) if late else ()
    first = pieces[0].entry.name
    return HandIn(user, (Person(user, name),), pieces, name, first, when=newest(pieces), flags=flags, back=_back(items))


def _back(items: list[tuple[re.Match[str], Piece]]) -> str:
    """Canvas takes a file back for an attachment alone, by its number: a text entry has none."""
    return next((match[0][: match.start("file")] for match, _ in items if match["file"]), "")


def _match(name: str) -> re.Match[str] | None:
    return _ANONYMOUS.fullmatch(name) or _NAMED.fullmatch(name)
