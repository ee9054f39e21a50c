from __future__ import annotations

from pathlib import Path

import pytest

from grader.model.course import Assignment
from tests.intake.handins import assignment_in


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    return assignment_in(tmp_path / "assignments" / "attention")


@pytest.fixture
def drop(tmp_path: Path) -> Path:
    """The folder a student handed in."""
    folder = tmp_path / "alice"
    folder.mkdir()
    return folder
