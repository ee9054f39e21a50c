"""Blackboard: flat, ``{assignment}_{user}_attempt_{date}[_{file}]`` and a receipt ``....txt`` for each attempt."""

from __future__ import annotations

import re
import time
import unicodedata

from grader.errors import NotGradable
from grader.intake.drop.hand_in import Gathered, HandIn, Person, Piece, Tree
from grader.intake.text import decode

NAME = "blackboard"
_NAMED = re.compile(
    r"(?P<before>.*_(?P<user>[^_]+))_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:(?P<receipt>\.txt)|_(?P<file>.+))"
)
_WHO = re.compile(r"[^\n:：]{1,40}[:：]\s*(?P<name>[^\n]*?)\s*[(（](?P<user>[^()（）\n]+)[)）]")
_RECEIPT_LIMIT = 1_000_000


def fits(tree: Tree) -> bool:
    """Most entries at the top are named so."""
    return sum(_NAMED.fullmatch(entry.name) is not None for entry in tree.top) * 2 > len(tree.top)


def gather(tree: Tree, assignment: str) -> Gathered:
    """One hand-in an attempt."""
    attempts: dict[tuple[str, str], list[tuple[re.Match[str], Piece]]] = {}
    rest = []
    for entry in tree.top:
        found = None if entry.is_folder else _NAMED.fullmatch(entry.name)
        if found is None:
            rest.append(entry)
            continue
        piece = Piece(found["file"] or entry.name, entry)
        attempts.setdefault((found["before"], found["when"]), []).append((found, piece))
    return Gathered(tuple(_hand_in(tree, items) for items in attempts.values()), tuple(rest))


def _hand_in(tree: Tree, items: list[tuple[re.Match[str], Piece]]) -> HandIn:
    found = items[0][0]
    person = Person(found["user"])
    for match, piece in items:
        if match["receipt"]:
            person = _from_receipt(tree, piece, found["before"]) or person
    pieces = tuple(piece for match, piece in items if not match["receipt"])
    when = time.mktime((*map(int, found["when"].split("-")), 0, 0, -1))  # type: ignore[arg-type]
    label = f"{person.id} {person.name}".strip()
    day, clock = found["when"][:10], found["when"][11:].replace("-", ":")
    return HandIn(person.id, (person,), pieces, label, items[0][1].entry.name, when=when, submitted=f"{day}T{clock}")


def _from_receipt(tree: Tree, receipt: Piece, before: str) -> Person | None:
    """Name and user from the receipt's first line: a user name may itself hold underscores."""
    try:
        text = unicodedata.normalize("NFC", decode(tree.drop.read(receipt.entry, _RECEIPT_LIMIT), receipt.path).text)
    except NotGradable:
        return None
    found = _WHO.match(text.lstrip())
    return Person(found["user"], found["name"]) if found and before.endswith(f"_{found['user']}") else None
