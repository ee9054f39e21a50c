"""Any other layout, by a pattern the teacher writes: a regular expression over the paths in the drop."""

from __future__ import annotations

import re

from grader.errors import UsageError
from grader.intake.drop.hand_in import Gathered, HandIn, Person, Piece, Tree, newest

NAME = "pattern"
_GROUPS = ("student_id", "file", "name", "email", "submission", "timestamp")
_EXAMPLE = "(?P<student_id>[^/]+)/(?P<file>.+)"


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, checked.

    Raises:
        UsageError: no regular expression, or without the group ``student_id``; says what one looks like.
    """
    try:
        found = re.compile(pattern)
    except re.error as wrong:
        raise UsageError(f"--pattern: {wrong}; write one like '{_EXAMPLE}'") from None
    if "student_id" not in found.groupindex:
        raise UsageError(f"--pattern needs a group called student_id, as in '{_EXAMPLE}'")
    unknown = sorted(set(found.groupindex) - set(_GROUPS))
    if unknown:
        raise UsageError(f"--pattern: there is no group {unknown[0]!r}; the groups are {', '.join(_GROUPS)}")
    return found


def gather(tree: Tree, pattern: re.Pattern[str]) -> Gathered:
    """Files whose whole path matches, by submission (else by student).

    Raises:
        UsageError: no path matches; shows one.
    """
    groups: dict[str, list[tuple[dict[str, str], Piece]]] = {}
    rest = []
    for entry in tree.drop.entries:
        if entry.is_folder:
            continue
        found = pattern.fullmatch(entry.path)
        facts = {key: value for key, value in (found.groupdict() if found else {}).items() if value}
        if not facts.get("student_id"):
            rest.append(entry)
            continue
        key = facts.get("submission", facts["student_id"])
        groups.setdefault(key, []).append((facts, Piece(facts.get("file", entry.name), entry)))
    if not groups:
        shown = rest[0].path if rest else "no file at all"
        raise UsageError(f"--pattern matches no path of the drop; the first of them is: {shown}")
    return Gathered(tuple(_hand_in(key, items) for key, items in groups.items()), tuple(rest))


def _hand_in(key: str, items: list[tuple[dict[str, str], Piece]]) -> HandIn:
    people = {facts["student_id"]: facts for facts, _ in items}
    pieces = tuple(piece for _, piece in items)
    persons = tuple(Person(student, f.get("name", ""), f.get("email", "")) for student, f in people.items())
    label = " ".join(f"{person.id} {person.name}".strip() for person in persons)
    when = max((facts.get("timestamp", "") for facts, _ in items), default="")
    return HandIn(key, persons, pieces, label, pieces[0].entry.path, when=newest(pieces), submitted=when)
