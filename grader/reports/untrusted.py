"""Text that a student may have written, made harmless: nothing in it moves a cursor, hides or reorders what is read."""

from __future__ import annotations

import re
import unicodedata

CUT = 2_000  # characters of one text in a report for people; the JSON holds the rest
# What the runners of CI services take for a command to themselves: `::` at the start of a line, blanks or not (so also
# where a long line may be folded), and `##[` or `##vso[` anywhere.
_COMMAND = re.compile(r"(?m)^([^\S\n]*+):(?=:)|:(?=:[a-z]+(?:-[a-z]+)*(?: [^:\n]*)?::)|#(?=#\w*\[)")
_MARKS_IN_A_ROW = 3  # combining marks on one letter; more only serve to smear over other lines


def printable(text: str, *, limit: int = CUT) -> str:
    """``text`` with only characters that show as themselves; of the rest, line ends stay and tabs are blanks.

    Control characters (escape sequences among them), bidirectional and zero-width marks, surrogates and
    noncharacters are written out as ``\\x1b`` or ``\\u202e``, and so is the sign that would make a line a command
    to a CI service (``::error::``). What is longer than ``limit`` is cut, and says so.
    """
    kept = text[: limit + 1].replace("\r\n", "\n").expandtabs(4)
    left = max(len(text), len(kept)) - limit
    shown = _settled(kept[:limit])
    if not shown.replace("\n", "").isprintable():  # which no hidden character is, nor any blank but the plain one
        shown = "".join(char if _shows(char) else _written_out(char) for char in shown)
    shown = _COMMAND.sub(lambda found: r"\x23" if found[0] == "#" else (found[1] or "") + r"\x3a", shown)
    return shown if left <= 0 else f"{shown} [... +{left}]"


def one_line(text: str, *, limit: int = CUT) -> str:
    """`printable` text on a single line, runs of white space closed up."""
    return " ".join(printable(text, limit=limit).split())


def _shows(char: str) -> bool:
    return char == "\n" or " " <= char <= "~" or unicodedata.category(char) not in _HIDDEN


_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def _written_out(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _settled(text: str) -> str:
    """``text`` with at most a few combining marks in a row."""
    if text.isascii():
        return text
    kept, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= _MARKS_IN_A_ROW:
            kept.append(char)
    return "".join(kept)
