"""A submission in our own process: no wall, no limits. Only for measuring what the walls cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from grader.checks.collected import Test
from grader.checks.examination import examine
from grader.diagnosis.faults import build
from grader.diagnosis.inline import InlineStudent
from grader.intake.text import decode
from grader.model.outcome import Outcome


def student_in(path: Path) -> InlineStudent:
    """The submission, imported here."""
    return InlineStudent(build(decode(path.read_bytes(), path.name).text, "inline_submission", str(path)))


def all_pass(tests: Sequence[Test], path: Path, reference: ModuleType, seed: int) -> bool:
    """Whether every test passes, all in this process."""
    seen = examine(tests, student_in(path), reference, seed, "hidden")
    return all(result.outcome is Outcome.PASSED for result in seen.results)
