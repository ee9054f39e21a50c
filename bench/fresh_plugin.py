"""The comparison most platforms use: one fresh pytest process, student and checks in it together."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench.inline import student_in
from grader.catalog import find_root, load_course
from grader.checks.draws import Draws
from grader.checks.reference import load_reference
from grader.diagnosis.inline import InlineStudent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--inline")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("python_files", "checks.py")


@pytest.fixture(scope="session")
def student(request: pytest.FixtureRequest) -> InlineStudent:
    return student_in(Path(request.config.getoption("--inline")))


@pytest.fixture(scope="module")
def reference(request: pytest.FixtureRequest) -> ModuleType:
    folder = request.path.parent
    assignment = load_course(find_root(folder)).assignment(folder.name)
    assert assignment is not None
    return load_reference(assignment)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> Any:
    return Draws(1, request.node.name)
