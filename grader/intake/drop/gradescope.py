"""Gradescope's export: ``submission_{number}/`` folders and ``submission_metadata.yml``."""

from __future__ import annotations

import re
from datetime import datetime

from grader.errors import NotGradable, UsageError
from grader.intake.drop.entries import Entry
from grader.intake.drop.gradescope_metadata import Record, read_metadata
from grader.intake.drop.hand_in import Gathered, HandIn, Person, Tree, newest
from grader.intake.text import decode

NAME = "gradescope"
_METADATA = ("submission_metadata.yml", "submission_metadata.yaml")
_METADATA_LIMIT = 500_000_000  # bytes: it may hold every result of every test
_BEFORE = "submission_"
_FOLDER = re.compile(rf"{_BEFORE}(\d+)")
_WHEN = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)? *(Z|UTC|[+-]\d\d:?\d\d)?")


def fits(tree: Tree) -> bool:
    """The metadata stand beside the folders."""
    return any(entry.name in _METADATA for entry in tree.top)


def gather(tree: Tree, assignment: str) -> Gathered:
    """One hand-in a folder; whose it is stands in the metadata. One told there without a folder is empty."""
    records = _records(tree)
    hand_ins, rest = [], []
    there = {entry.name for entry in tree.top if entry.is_folder}
    for name, record in records.items():
        if name not in there and record.submitters:
            hand_ins.append(_hand_in(tree, None, name.removeprefix(_BEFORE), record))
    for entry in tree.top:
        number = _FOLDER.fullmatch(entry.name)
        if number and entry.is_folder:
            hand_ins.append(_hand_in(tree, entry, number[1], records.get(entry.name, Record())))
        elif entry.name not in _METADATA:
            rest.append(entry)
    return Gathered(tuple(hand_ins), tuple(rest))


def _records(tree: Tree) -> dict[str, Record]:
    entry = next((entry for entry in tree.top if entry.name in _METADATA), None)
    if entry is None:
        return {}
    try:
        return read_metadata(decode(tree.drop.read(entry, _METADATA_LIMIT), entry.name).text)
    except NotGradable as wrong:
        raise UsageError(f"{entry.path} cannot be read: {wrong}; download the export again") from None


def _hand_in(tree: Tree, folder: Entry | None, number: str, record: Record) -> HandIn:
    people = tuple(Person(p.sid or p.email or p.name, p.name, p.email) for p in record.submitters)
    pieces = () if folder is None else tree.below(folder)
    unknown = not people
    return HandIn(
        number,
        people or (Person(number),),
        pieces,
        "",
        f"{_BEFORE}{number}",
        folder,
        _seconds(record.created_at) or newest(pieces),
        ids_are_local=unknown,
        submitted=_told(record.created_at),
        set_aside=not record.active,
    )


def _told(when: str) -> str:
    """With a zone in any case: the platform's own times are in UTC where they name none."""
    found = _WHEN.match(when)
    return when if found is None or found[3] else f"{found[1]}T{found[2]}+00:00"


def _seconds(when: str) -> float:
    found = _WHEN.match(when)
    if not found:
        return 0.0
    zone = found[3] if found[3] and found[3] not in ("Z", "UTC") else "+00:00"
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}").timestamp()
    except ValueError:
        return 0.0
