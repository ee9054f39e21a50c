"""``grader doctor``: what this machine can do for a grading run."""

from __future__ import annotations

import os
import platform
from importlib import metadata

import grader
from grader.commands.console import columns, say
from grader.commands.exits import Exit

_PARTS = ("torch", "numpy", "pytest", "pydantic", "safetensors", "rich", "typer")


def run() -> Exit:
    """Versions, cores and the isolation that can be proven here; torch is asked for its version, not imported."""
    rows = [
        ("grader", grader.__version__),
        ("python", platform.python_version()),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        *((name, _version(name)) for name in _PARTS),
        ("cores", str(_cores())),
        ("isolation", "practice only: time, memory and output limits hold, no wall against the code is proven"),
    ]
    for line in columns(rows):
        say(line)
    say("Reports made here are stamped practice; their marks do not count.")
    return Exit.DONE


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
