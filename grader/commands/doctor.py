"""``grader doctor``: what this machine can do for a grading run, and what to do about what it cannot."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib import metadata
from typing import TYPE_CHECKING

import grader
from grader.commands.console import columns, say
from grader.commands.exits import Exit
from grader.commands.setting import Setting
from grader.errors import GraderError

if TYPE_CHECKING:
    from grader.sandbox.effects import Examination

_PARTS = ("torch", "numpy", "pytest", "pydantic", "safetensors", "rich", "click")


def run(setting: Setting) -> Exit:
    """Versions, cores, and each effect of isolation: proven by which walls, or how to get it. 0 where all are."""
    _table(
        [
            ("grader", grader.__version__),
            ("python", platform.python_version()),
            ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
            *((name, _version(name)) for name in _PARTS),
            ("cores", str(_cores())),
        ]
    )
    say()
    try:
        examination = setting.examine_isolation()
    except (GraderError, ImportError) as failed:
        say(f"isolation: cannot be tried here: {failed}")
        return _practice_only()
    _table(_effects(examination))
    for line in _remedies(examination):
        say(line)
    if examination.proof.failed():
        return _practice_only()
    say(f"Every effect is proven: marks made here count. The walls cost {examination.ms:.1f} ms a submission.")
    return Exit.DONE


def _effects(examination: Examination) -> Iterator[tuple[str, str]]:
    failed = examination.proof.failed()
    for effect in examination.effects:
        walls = ", ".join(examination.proof.by(effect)) or "no wall"
        yield f"the code cannot {effect.words}", "NOT PROVEN" if effect in failed else f"proven: {walls}"


def _remedies(examination: Examination) -> Iterator[str]:
    """For every wall that is not there: why; for every effect not proven: what was possible, what is needed."""
    proof = examination.proof
    for wall, why in proof.missing.items():
        yield f"without the wall {wall!r}: {why}"
    for effect in proof.failed():
        tried = ", ".join(what for which, what in proof.breaches if which == effect.id)
        yield f"the code could {effect.words}" + (f": {tried}" if tried else "")
        yield f"  needed: {effect.remedy}"


def _practice_only() -> Exit:
    say("Nothing that counts can be graded here; --practice grades all the same, for marks that do not count.")
    say("On macOS and Windows grade in a container: docker build -t grader . (docs/security.md has the command).")
    return Exit.NOT_ENOUGH


def _table(rows: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> None:
    for line in columns(list(rows)):
        say(line)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return f"not installed (pip install {name})"


def _cores() -> int:
    """The cores this process may use, which a container may hold below the machine's."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
