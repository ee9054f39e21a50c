"""The secret seed of a grading run, and what may be said of it aloud."""

from __future__ import annotations

import hashlib
import secrets

from grader.commands.console import note

_BITS = 62  # its hash may be shown: too many to try


def settle_seed(asked: int | None) -> int:
    """The seed asked for, or a fresh secret one. Its digest goes to stderr: proof that it was not chosen later."""
    seed = secrets.randbits(_BITS) if asked is None else asked
    note(f"seed sha256 {hashlib.sha256(str(seed).encode()).hexdigest()}")
    return seed
