"""How much of a run a student may see, so that pushing again and again tells nothing; a file counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from grader.errors import UsageError

_KEPT = timedelta(days=8)
_SCHEMA = "grader.runs/1"
_LIMIT = 50_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Run:
    """One commit whose hidden checks a student was told about."""

    student: str
    day: date
    head: str


class Ledger:
    """The runs of the last days. It lies where no student can write; a file that is not there is an empty one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runs = _read(path)

    def used(self, student: str, day: date, head: str) -> int:
        """Other commits of that day. The same one again tells nothing new."""
        heads = {run.head for run in self._runs if (run.student, run.day) == (student, day)}
        return len(heads - {head})

    def with_run(self, run: Run) -> str:
        """The file's next text: this run in it, those of long ago gone."""
        runs = [each for each in self._runs if each.day >= run.day - _KEPT]
        if run not in runs:
            runs.append(run)
        told = [{"student": each.student, "day": each.day.isoformat(), "head": each.head} for each in runs]
        return json.dumps({"schema": _SCHEMA, "runs": told}, indent=1) + "\n"


def _read(path: Path) -> list[Run]:
    """Raises ``UsageError`` for a file that is no ledger: then nobody knows how many runs are left."""
    if not path.exists():
        return []
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_LIMIT))
        if found["schema"] != _SCHEMA:
            raise ValueError(f"its schema is {found['schema']!r}")
        return [_run(each) for each in found["runs"]]
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        raise UsageError(f"--ledger {path} is no ledger of runs ({wrong}); put it right or remove it") from None


def _run(each: Mapping[str, Any]) -> Run:
    return Run(str(each["student"]), date.fromisoformat(each["day"]), str(each["head"]))
