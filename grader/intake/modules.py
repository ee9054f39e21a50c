"""Modules beside the chosen file: which files travel with it, and the names they are imported by."""

from __future__ import annotations

from collections.abc import Iterable

from grader.errors import NotGradable
from grader.intake.found import PYTHON, Found
from grader.intake.text import decode
from grader.model.submission import Flag, Submission

_COUNT_LIMIT = 200
_BYTES_LIMIT = 4_000_000


def beside(chosen: Found, files: Iterable[Found]) -> tuple[list[Found], list[Flag]]:
    """The Python files that can be imported from the chosen one's folder, within bounds; flags for the rest."""
    taken: list[Found] = []
    flags: list[Flag] = []
    total = 0
    for found in files:
        if found is chosen or found.kind != PYTHON or not found.data or module_name(found.path, chosen.folder) is None:
            continue
        try:
            decode(found.data, found.name)
        except NotGradable as error:
            flags.append(Flag("file_left_out", f"{found.path}: {error.reason.en}"))
            continue
        total += len(found.data)
        if len(taken) >= _COUNT_LIMIT or total > _BYTES_LIMIT:
            flags.append(Flag("file_left_out", f"{found.path} and what follows: too many modules"))
            break
        taken.append(found)
    return taken, flags


def modules_of(submission: Submission) -> dict[str, str]:
    """The sources of the modules beside the chosen file, by the name they are imported under."""
    folder = submission.main.rpartition("/")[0]
    named = ((module_name(file.path, folder), file) for file in submission.files[1:])
    return {name: decode(file.data, file.path).text for name, file in named if name is not None}


def module_name(path: str, folder: str) -> str | None:
    """The dotted name of a file as seen from ``folder``; None where it cannot be imported from there."""
    if folder and not path.startswith(folder + "/"):
        return None
    below = path[len(folder) + 1 :] if folder else path
    if not below.endswith(".py"):
        return None
    parts = below[:-3].split("/")
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if all(part.isidentifier() for part in parts) else None
