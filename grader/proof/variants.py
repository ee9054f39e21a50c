"""Right submissions an author keeps: other ways to write the solution, which have to earn everything too."""

from __future__ import annotations

from pathlib import Path

from grader.errors import UsageError
from grader.model.course import Assignment

_FOLDER = "right"  # reference/<name>/right/
_PREFIX = "right_"  # DIR/<name>/right_*


def right_variants(assignment: Assignment, more: Path | None) -> dict[str, Path]:
    """Files and folders in ``reference/<name>/right``, and ``right_*`` in ``more/<name>``. Raises ``UsageError``."""
    found: list[Path] = []
    if assignment.reference is not None:
        found += _inside(assignment.reference / _FOLDER)
    if more is not None:
        if not more.is_dir():
            raise UsageError(f"--right {more}: there is no such folder")
        found += [path for path in _inside(more / assignment.name) if path.name.startswith(_PREFIX)]
    return {path.name: path for path in found}


def _inside(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [
        p for p in sorted(folder.iterdir()) if p.name[0] not in "._" and (p.is_dir() or p.suffix in (".py", ".ipynb"))
    ]
