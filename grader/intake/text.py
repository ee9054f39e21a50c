"""Bytes of a hand-in as text: UTF-8, UTF-16 by its mark, else GB18030."""

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
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


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
    if not data:
        raise refusals.empty(name)
    for start, what in _SIGNATURES.items():
        if data.startswith(start):
            raise refusals.no_text(name, what)
    decoded = _decode(data)
    if decoded is None or "\0" in decoded.text:
        raise refusals.no_text(name)
    return Decoded(plain(decoded.text), decoded.encoding)


def plain(text: str) -> str:
    """Line ends as ``\\n``, and no lone surrogates, which no file can hold."""
    return _LONE_SURROGATE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def _decode(data: bytes) -> Decoded | None:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _as(data, "utf-16", "UTF-16")
    return _as(data, "utf-8-sig", "") or _as(data, "gb18030", "GB18030")


def _as(data: bytes, codec: str, shown: str) -> Decoded | None:
    try:
        return Decoded(data.decode(codec), shown)
    except UnicodeDecodeError:
        return None
