"""Plain ``pytest reference/<name> --submission FILE``: the hidden checks as ordinary tests, for authors.

``reference/conftest.py`` names this plugin. It wires what the checks room may not import itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader import intake
from grader.catalog import find_root, load_course
from grader.checks.draws import Draws
from grader.checks.pytest_plugin import OPENER, Given
from grader.checks.reference import load_reference
from grader.errors import UsageError
from grader.loading import Loading
from grader.sandbox.zygote import ZygoteSandbox
from grader.student import Student


def pytest_configure(config: Any) -> None:
    config.stash[OPENER] = open_submission


@contextlib.contextmanager
def open_submission(path: Path, reference: Path, seed: int) -> Iterator[Given]:
    """A submission in a worker, for the assignment whose reference folder is given."""
    course = load_course(find_root(reference), reference.parent)
    assignment = course.assignment(reference.name)
    if assignment is None:
        raise UsageError(f"{reference}: the course has no assignment {reference.name!r}")
    sandbox = ZygoteSandbox({}, practice=True)
    submission = intake.load(path, assignment)
    student = Student(Loading(sandbox, submission, assignment, course), assignment)
    solution = load_reference(assignment)

    def given(test_id: str) -> Mapping[str, Any]:
        return {"student": student, "reference": solution, "rng": Draws(seed, test_id)}

    try:
        yield given
    finally:
        student.close_()
        sandbox.close()
