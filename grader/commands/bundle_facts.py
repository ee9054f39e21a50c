"""What a bundle knows about its own run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UsageError


@dataclass(frozen=True, slots=True)
class Bundle:
    """``before`` and ``after`` are the levels of feedback until marks are published, and from then on."""

    assignment: str
    seed: int
    lang: str
    before: str
    after: str


def read_bundle(root: Path) -> Bundle:
    """The facts beside the scripts. Raises ``UsageError`` where ``root`` holds no bundle."""
    path = root / "source" / "bundle.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Bundle(found["assignment"], found["seed"], found["lang"], found["before"], found["after"])
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        raise UsageError(f"{path} is no bundle of 'grader bundle gradescope' ({wrong})") from None
