"""Opens the desks that an engine works at. Light to import: the zygote is on its way before torch is imported here."""

from __future__ import annotations

import gc
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.catalog import load_course
from grader.model.course import Course
from grader.sandbox.launch import Order, Zygote

if TYPE_CHECKING:
    from grader.desk import Desk
    from grader.proof.desk import ProvingDesk


def open_desk(config: dict[str, Any]) -> Desk:
    """The work of an engine: ``config`` holds ``course``, ``reference``, ``environment``, ``practice``, ``shared``."""
    course, zygote = _begin(config)
    from grader.desk import Desk, open_sandbox

    open_ = partial(open_sandbox, course, config.get("environment", {}), bool(config.get("practice")))
    return Desk(course, open_, open_(zygote), Path(config["shared"]) if config.get("shared") else None)


def open_own_desk(config: dict[str, Any]) -> Desk:
    """For a student's own run of the public checks: torch is imported once, for the workers as well."""
    course = load_course(Path(config["course"]), None)
    gc.disable()  # as the zygote does
    from grader.desk import Desk
    from grader.sandbox.forked import ForkSandbox

    sandbox = ForkSandbox()
    sandbox.ready()
    gc.freeze()
    gc.enable()
    return Desk(course, ForkSandbox, sandbox)


def open_proving_desk(config: dict[str, Any]) -> ProvingDesk:
    """The work of a proof: ``config`` holds ``course``, ``reference`` and ``environment``. Warnings are silenced."""
    course, zygote = _begin(config)
    from grader.desk import open_sandbox
    from grader.proof.desk import ProvingDesk

    open_ = partial(open_sandbox, course, config.get("environment", {}), True)
    return ProvingDesk(course, open_, open_(zygote))


def _begin(config: dict[str, Any]) -> tuple[Course, Zygote]:
    """The course, and a zygote that imports torch while the caller does: seconds, on a core of its own."""
    reference = Path(config["reference"]) if config.get("reference") else None
    course = load_course(Path(config["course"]), reference)
    return course, Zygote(Order(dict(config.get("environment", {}))))
