"""``grader bundle gradescope``: an archive with which the platform grades one assignment by itself."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from grader.commands.console import say, write_atomically
from grader.commands.exits import Exit
from grader.commands.setting import Setting, assignment_named
from grader.errors import UsageError
from grader.platforms.gradescope.bundle import bundle

_BITS = 62


@dataclass(frozen=True, slots=True)
class Request:
    """``seed`` None: a fresh one, kept in the archive, so that every student and every re-run meets the same."""

    assignment: str
    out: Path
    seed: int | None = None
    feedback: str | None = None
    wheels: Path | None = None


def run(setting: Setting, request: Request) -> Exit:
    """Write the archive; its scripts lie at its root, where the platform looks for them."""
    course = setting.course()
    assignment = assignment_named(course, request.assignment)
    facts = {
        "seed": secrets.randbits(_BITS) if request.seed is None else request.seed,
        "lang": setting.lang,
        "before": request.feedback or course.before_deadline,
        "after": course.after_release,
    }
    data = bundle(course, setting.root, assignment, facts, _wheels(setting, request.wheels))
    try:
        write_atomically(setting.folder / request.out, data, mode=0o600)
    except OSError as wrong:
        raise UsageError(f"cannot write {request.out}: {wrong.strerror or wrong}") from None
    size = f"{len(data) / 1_000_000:.1f} MB"
    say(f"{request.out}: {assignment.name}, {size}; it holds the reference, so keep it private")
    return Exit.DONE


def _wheels(setting: Setting, folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    found = sorted((setting.folder / folder).glob("*.whl"))
    if not found:
        raise UsageError(
            f"--wheels {folder}: there is no .whl there; 'pip download' fetches what requirements.txt names"
        )
    return found
