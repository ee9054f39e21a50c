"""A notebook's JSON without what never counts, cut out of the bytes before anything is built from them.

Parsing can take twenty times the room of the text. So outputs and metadata, where the size is, are passed over by
one linear scan that builds nothing; what is left is small, and known not to be deep, when the parser sees it.
"""

from __future__ import annotations

import re
from typing import Final

DROPPED: Final = ("outputs", "metadata", "attachments")
KEPT_LIMIT: Final = 10_000_000  # bytes outside of the dropped parts
_KEPT_BRACKETS: Final = 200_000
_BRACKETS: Final = 3_000_000  # of the dropped parts as well: each is a step of the scan
_DEPTH: Final = 100

_STRING: Final = rb'"(?:[^"\\]++|\\.)*+"'
_KEY: Final = b"|".join(name.encode() for name in DROPPED)
# Each match ends behind one bracket (or, outside of the dropped parts, behind the key of one); strings are passed over.
_NEXT: Final = re.compile(
    rb'(?:[^"\[\]{}]++|"(?!(?:' + _KEY + rb')"\s*+:)(?:[^"\\]++|\\.)*+")*+'
    rb'(?:(?P<bracket>[\[\]{}])|"(?:' + _KEY + rb')"\s*+:\s*+)',
    re.DOTALL,
)
_NEXT_BRACKET: Final = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+([\[\]{}])", re.DOTALL)
_PLAIN_VALUE: Final = re.compile(_STRING + rb"|[^\s,\[\]{}\"]*+", re.DOTALL)
_PICTURE: Final = re.compile(rb"data:[\w./+-]{3,60};base64,[A-Za-z0-9+/=\\]{200,}+")  # pasted into a text cell


class TooDeep(ValueError):
    """Nested deeper than any notebook."""


class TooMuch(ValueError):
    """More than can be read within bounds."""


def cut(data: bytes) -> bytes:
    """UTF-8 JSON with ``null`` in place of every dropped value. What is damaged stays so, for the parser to say.

    Raises:
        TooDeep, TooMuch: it is beyond the bounds.
    """
    pieces: list[bytes] = []
    at = kept_from = depth = kept = passed = 0
    while found := _NEXT.match(data, at):
        at = found.end()
        bracket = found["bracket"]
        if bracket is None:
            pieces += (data[kept_from:at], b"null")
            at, brackets = _behind_value(data, at, _BRACKETS - passed)
            passed += brackets
            kept_from = at
            continue
        kept += 1
        depth += 1 if bracket in b"[{" else -1
        if depth > _DEPTH:
            raise TooDeep
        if kept > _KEPT_BRACKETS:
            raise TooMuch
    pieces.append(data[kept_from:])
    return _small(b"".join(pieces))


def _behind_value(data: bytes, at: int, brackets_left: int) -> tuple[int, int]:
    """Where the value that begins at ``at`` ends, and how many brackets it has."""
    if data[at : at + 1] not in (b"[", b"{"):
        plain = _PLAIN_VALUE.match(data, at)
        return (plain.end() if plain else at), 0
    depth = brackets = 0
    while found := _NEXT_BRACKET.match(data, at):
        at = found.end()
        brackets += 1
        depth += 1 if found[1] in b"[{" else -1
        if depth == 0:
            return at, brackets
        if brackets > brackets_left:
            raise TooMuch
    return len(data), brackets  # it never closes: the parser will say so


def _small(kept: bytes) -> bytes:
    if len(kept) > KEPT_LIMIT:
        kept = _PICTURE.sub(b"", kept)
    if len(kept) > KEPT_LIMIT:
        raise TooMuch
    return kept
