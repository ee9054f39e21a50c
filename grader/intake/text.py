"""Bytes of a hand-in as text: UTF-8, UTF-16, the encoding the file declares where it is one of a few, else GB18030."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from grader.intake import refusals

_SIGNATURES = {
    b"PK\x03\x04": "a zip archive or a Word file",
    b"%PDF": "a PDF",
    b"\x7fELF": "a program",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x1f\x8b": "a gzip archive",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\xd0\xcf\x11\xe0": "an old Word file",
}
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # an escape in a notebook's JSON can spell them all the same
_CODING = re.compile(rb"[ \t\f]*+#[^\r\n]{0,200}?coding[:=][ \t]*+([-\w.]{1,40})")
# Declared encodings that are believed: plain tables of characters. Python knows others that compute.
_DECLARED = frozenset({
    "iso8859-1", "iso8859-15", "cp1251", "cp1252", "koi8-r", "big5", "cp950", "shift_jis", "cp932", "euc_jp", "euc_kr",
    "cp949",
})  # fmt: skip
_HEAD = 512  # bytes: enough for two lines of comment, and to see what UTF-16 looks like


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with plain line ends. ``encoding`` is "" for UTF-8, else the name of what was used instead."""

    text: str
    encoding: str = ""


def decode(data: bytes, name: str) -> Decoded:
    """Read bytes as text.

    Raises:
        NotGradable: nothing in it, or no text.
    """
    refuse_other_kinds(data, name)
    decoded = _decode(data)
    if decoded is None or "\0" in decoded.text:
        raise refusals.no_text(name)
    return Decoded(plain(decoded.text), decoded.encoding)


def refuse_other_kinds(data: bytes, name: str) -> None:
    """Raise ``NotGradable`` where there is nothing, or the first bytes are those of something else than text."""
    if not data:
        raise refusals.empty(name)
    if not data.strip(b"\0"):
        raise refusals.zeros(name)
    for start, what in _SIGNATURES.items():
        if data.startswith(start):
            raise refusals.no_text(name, what)


def plain(text: str) -> str:
    """Line ends as ``\\n``; no lone surrogates, which no file can hold, and no NUL, which no Python source may."""
    return _NO_TEXT.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def _decode(data: bytes) -> Decoded | None:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _as(data, "utf-16", "UTF-16")
    if codec := _wide(data[:_HEAD]):
        return _as(data, codec, "UTF-16")
    declared = _declared(data[:_HEAD])
    return (
        _as(data, "utf-8-sig", "")
        or (_as(data, declared, declared) if declared else None)
        or _as(data, "gb18030", "GB18030")
    )


def _wide(head: bytes) -> str:
    """UTF-16 without its mark, as some Windows programs write it: source has a zero in every other byte."""
    even, odd = head[: len(head) & ~1 : 2], head[1::2]
    if len(odd) < 4:
        return ""
    if odd.count(0) * 2 > len(odd) and not even.count(0):
        return "utf-16-le"
    return "utf-16-be" if even.count(0) * 2 > len(even) and not odd.count(0) else ""


def _declared(head: bytes) -> str:
    """The encoding that one of the first two lines declares, where it is believed."""
    for line in re.split(rb"\r\n|\r|\n", head, maxsplit=2)[:2]:
        if found := _CODING.match(line):
            try:
                name = codecs.lookup(found[1].decode("ascii", "replace")).name
            except LookupError:
                return ""
            return name if name in _DECLARED else ""
    return ""


def _as(data: bytes, codec: str, shown: str) -> Decoded | None:
    try:
        return Decoded(data.decode(codec), shown)
    except UnicodeDecodeError:
        return None
