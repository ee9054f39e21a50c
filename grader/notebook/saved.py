"""The notebook as it was last saved, beside what runs in the kernel."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import intake
from grader.errors import GraderError
from grader.model.course import Assignment
from grader.model.submission import Submission

_EDITORS_NAME = "__vsc_ipynb_file__"  # one editor tells the kernel where its notebook lies


@dataclass(frozen=True, slots=True)
class Saved:
    """A notebook on disk. ``differ``: names whose running source does not stand in it."""

    file: str
    fingerprint: str
    differ: tuple[str, ...]


def saved_notebook(assignment: Assignment, namespace: Mapping[str, Any], folder: Path) -> Saved | None:
    """The file that would be handed in, where it can be found; None where it cannot."""
    told = namespace.get(_EDITORS_NAME)
    path = Path(told) if isinstance(told, str) else (folder / assignment.file).with_suffix(".ipynb")
    try:
        submission = intake.load(path, assignment)
    except (GraderError, OSError, ValueError):
        return None
    names = [required.name for required in assignment.functions]
    differ = tuple(name for name in names if name in namespace and not _stands_in(submission, namespace[name]))
    return Saved(path.name, submission.fingerprint, differ)


def _stands_in(submission: Submission, thing: Any) -> bool:
    """Whether the source of ``thing`` stands in a cell. What has no source of its own is not doubted."""
    try:
        source = _essence(inspect.getsource(thing))
    except (OSError, TypeError):
        return True
    return any(source in _essence(chunk.source) for chunk in submission.chunks)


def _essence(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())
