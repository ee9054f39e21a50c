"""Submission ids as names of folders, on any file system."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

_UNSAFE = re.compile(r"[^\w.\- ]")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LONGEST = 60  # characters, at most four bytes each


def folder_names(ids: Iterable[str]) -> dict[str, str]:
    """A folder name for each id: the id where it is safe, else made safe and told apart by a digest."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for name in ids:
        safe = _safe(name)
        if safe != name or safe.casefold() in taken:
            safe = f"{safe}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
        taken.add(safe.casefold())
        names[name] = safe
    return names


def _safe(name: str) -> str:
    safe = _UNSAFE.sub("_", unicodedata.normalize("NFC", name))[:_LONGEST].strip(" ").strip(".")
    return f"_{safe}" if not safe or _RESERVED.fullmatch(safe) else safe
