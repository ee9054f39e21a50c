"""The only file that knows pytest: collects ``checks.py``, and serves plain ``pytest`` for debugging.

The grader collects an assignment once (``collect_hidden``) and calls the functions itself. An author types
``pytest reference/attention --submission path/to/attention.py`` and gets ordinary tests on the same fixtures.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from grader.checks.collected import Test, as_test, in_order
from grader.errors import CourseError
from grader.model.course import PUBLIC_SEED, Assignment

Given = Callable[[str], Mapping[str, Any]]  # test id -> its student, reference and rng
Opener = Callable[[Path, Path, int], AbstractContextManager[Given]]  # submission, reference folder, seed
OPENER = pytest.StashKey[Opener]()


class _Collector:
    """Takes pytest's items and keeps what a session needs of them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.tests: list[Test] = []
        self.problems: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if not isinstance(item, pytest.Function) or item.cls is not None:
                self.problems.append(f"{self._path}: {item.nodeid} is no plain function")
                continue
            extra = [mark.name for mark in item.iter_markers() if mark.name != "parametrize"]
            self.problems += [f"{self._path}: {item.name} has the mark {name!r}, which is not known" for name in extra]
            parameters = item.callspec.params if hasattr(item, "callspec") else {}
            try:
                self.tests.append(as_test(item.obj, _id(item), parameters, str(self._path)))
            except CourseError as wrong:
                self.problems += wrong.problems

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems.append(f"{self._path}: {report.longreprtext}")


def _id(item: pytest.Item) -> str:
    return f"checks.py::{item.name}"


def collect_hidden(assignment: Assignment) -> tuple[Test, ...]:
    """The hidden checks of an assignment in running order. Raises ``CourseError`` with file and line."""
    if assignment.reference is None:
        raise CourseError([f"{assignment.name}: there is no reference/{assignment.name} beside the assignments"])
    path = assignment.reference / "checks.py"
    if not path.is_file():
        raise CourseError([f"{path}: not found"])
    collector = _Collector(path)
    arguments = [
        str(path), "--collect-only", "--disable-plugin-autoload", "-p", "no:cacheprovider", "-p", "no:terminal",
        "-p", "no:unraisableexception", "-p", "no:threadexception",  # each looks through all of torch for garbage
        "-c", "/dev/null", "--rootdir", str(assignment.reference), "--import-mode=importlib",
        "-o", "python_files=checks.py",
    ]  # fmt: skip
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        pytest.main(arguments, plugins=[collector])
    _forget_module(path)
    if collector.problems or not collector.tests:
        raise CourseError(collector.problems or [f"{path}: no checks found. {quiet.getvalue()[:400]}"])
    return in_order(collector.tests, assignment, str(path))


def _forget_module(path: Path) -> None:
    """Every checks.py is imported as ``checks``: without this the next assignment would get this one's."""
    file = str(path.resolve())
    found = [name for name, module in sys.modules.items() if getattr(module, "__file__", None) == file]
    for name in found:
        del sys.modules[name]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("grader")
    group.addoption("--submission", help="the file or folder to run the hidden checks on")
    group.addoption("--seed", type=int, default=PUBLIC_SEED, help="the seed of every input")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("python_files", "checks.py")


@pytest.fixture(scope="module")
def given(request: pytest.FixtureRequest) -> Iterator[Given]:
    """Opens the submission named on the command line in a worker of its own."""
    submission = request.config.getoption("--submission")
    if not submission:
        pytest.fail("name a submission: --submission path/to/file.py", pytrace=False)
    opener = request.config.stash[OPENER]
    with opener(Path(submission), request.path.parent, request.config.getoption("--seed")) as opened:
        yield opened


@pytest.fixture
def student(given: Given, request: pytest.FixtureRequest) -> Any:
    """The student's code."""
    return given(_id(request.node))["student"]


@pytest.fixture
def reference(given: Given, request: pytest.FixtureRequest) -> Any:
    """The names of solution.py."""
    return given(_id(request.node))["reference"]


@pytest.fixture
def rng(given: Given, request: pytest.FixtureRequest) -> Any:
    """Random inputs: a function of the seed and this test."""
    return given(_id(request.node))["rng"]
