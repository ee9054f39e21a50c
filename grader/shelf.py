"""What the grading processes of one run found out, so that no other needs to: small files in a folder of their own.

Nothing hangs on it: what cannot be put there or read there is found again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Shelf:
    """``about``: what its facts hold for; others keep theirs in the same folder."""

    folder: Path
    about: str

    def get(self, kind: str, key: bytes) -> Any:
        """What was put there by whichever process, else None."""
        with suppress(OSError, ValueError):
            return json.loads(self._place(kind, key).read_bytes())
        return None

    def put(self, kind: str, key: bytes, fact: Any) -> None:
        """A plain value; it is there as a whole or not at all."""
        place = self._place(kind, key)
        with suppress(OSError):
            half = place.with_suffix(f".{os.getpid()}")
            half.write_text(json.dumps(fact), encoding="utf-8")
            half.replace(place)

    def leave(self, kind: str, data: bytes) -> None:
        """Bytes for all others, to be taken once by each."""
        folder = self._place(kind, b"")
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
            half = self.folder / f"{folder.name}.{os.getpid()}"
            half.write_bytes(data)
            half.replace(folder / f"{os.getpid()}.{time.monotonic_ns()}")

    def left_by_others(self, kind: str, seen: set[str]) -> Iterator[bytes]:
        """What others left that is not in ``seen``; it is then."""
        own = f"{os.getpid()}."
        with suppress(OSError):
            for name in sorted(os.listdir(folder := self._place(kind, b""))):
                if name not in seen and not name.startswith(own):
                    seen.add(name)
                    yield (folder / name).read_bytes()

    def _place(self, kind: str, key: bytes) -> Path:
        return self.folder / hashlib.blake2b(b"\0".join((self.about.encode(), kind.encode(), key))).hexdigest()[:40]
