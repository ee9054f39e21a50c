"""The real rooms behind `Ports`; every import waits until a command needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.commands.setting import Ports
from grader.engines import Engine
from grader.errors import WallMissing
from grader.model.course import Assignment, Course

if TYPE_CHECKING:
    from grader.model.submission import Submission

if TYPE_CHECKING:
    from grader.proof import Plan, Sheet
    from grader.sandbox.effects import Examination

_DESK = "grader.opening:open_desk"


def real_ports() -> Ports:
    """What the ``grader`` command runs on."""
    return Ports(
        _find_root,
        _load_course,
        _load_submission,
        _open_engine,
        _open_proving_engine,
        _validate,
        _examine_isolation,
        _open_own_engine,
    )


def _find_root(start: Path) -> Path:
    from grader.catalog import find_root

    return find_root(start)


def _load_course(root: Path, reference: Path | None) -> Course:
    from grader.catalog import load_course

    return load_course(root, reference)


def _load_submission(path: Path, assignment: Assignment, submission_id: str, students: tuple[str, ...]) -> Submission:
    from grader import intake

    return intake.load(path, assignment, submission_id=submission_id, students=students)


def _open_engine(config: dict[str, Any]) -> AbstractContextManager[Engine]:
    from grader.engines.pool import PoolEngine
    from grader.engines.serial import SerialEngine

    _need_walls()
    jobs = config.get("jobs")
    return SerialEngine(_DESK, config) if jobs is None else PoolEngine(_DESK, config, jobs)


def _open_own_engine(config: dict[str, Any]) -> AbstractContextManager[Engine]:
    from grader.engines.capacity import can_fork

    if can_fork():
        from grader.engines.serial import SerialEngine

        return SerialEngine("grader.opening:open_own_desk", config)
    from grader.practice.engine import SpareEngine

    return SpareEngine(config, stay=config["stay"])


def _open_proving_engine(config: dict[str, Any]) -> AbstractContextManager[Engine]:
    """Two processes where there are two cores: each warms up for itself, so more would seldom pay."""
    from grader.engines.serial import SerialEngine
    from grader.engines.several import SeveralEngines

    _need_walls()
    count = min(2, os.cpu_count() or 1)
    return SeveralEngines([SerialEngine("grader.opening:open_proving_desk", config) for _ in range(count)])


def _need_walls() -> None:
    """Raises ``WallMissing`` on a system that has nothing the walls are made of."""
    from grader.engines.capacity import can_fork

    if not can_fork():
        raise WallMissing(
            f"grading needs Linux, and this is {sys.platform}: use a container (docs/security.md has the command); "
            "grader check, hint and list work here"
        )


def _validate(course: Course, names: Sequence[str], engine: Engine, plan: Plan, right: Path | None) -> Iterator[Sheet]:
    from grader.proof import validate

    return validate(course, names, engine, plan, right)


def _examine_isolation(environment: Mapping[str, str], guarded: Sequence[Path]) -> Examination:
    from grader.sandbox.zygote import examine

    return examine(environment, guarded)
