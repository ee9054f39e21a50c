"""Signs and boxes that the receiving stream can show; what it cannot is written out, never a crash."""

from __future__ import annotations

import codecs
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The few signs of a terminal report."""

    held: str
    lost: str
    part: str
    waits: str
    full: str
    empty: str
    boxes: bool


_DRAWN = Glyphs(held="✓", lost="✗", part="◐", waits="–", full="█", empty="░", boxes=True)
_TYPED = Glyphs(held="+", lost="x", part="~", waits="-", full="#", empty=".", boxes=False)


def glyphs_for(encoding: str | None) -> Glyphs:
    """Drawn signs on Unicode streams, typed ones elsewhere (a GBK console draws boxes two cells wide)."""
    return _DRAWN if _known(encoding).startswith("utf") else _TYPED


def encodable(text: str, encoding: str | None) -> str:
    """``text`` with everything that ``encoding`` lacks written as ``\\uXXXX``."""
    name = _known(encoding)
    return text.encode(name, "backslashreplace").decode(name)


def _known(encoding: str | None) -> str:
    try:
        return codecs.lookup(encoding or "ascii").name
    except LookupError:
        return "ascii"
