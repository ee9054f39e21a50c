"""In a student's copy of the course the stub is the file that is worked in: in any state, or gone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.engines.serial import SerialEngine
from grader.model.course import PUBLIC_SEED
from grader.model.submission import Job
from tests.practice.test_without_fork import CHECKS, RIGHT


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[[Path], Path]) -> Path:
    root = make_course(tmp_path_factory.mktemp("copy"))
    shutil.rmtree(root / "reference")
    (root / "assignments/doubling/checks_public.py").write_text(CHECKS)
    return root


@pytest.fixture(scope="module")
def engine(copy: Path) -> Iterator[SerialEngine]:
    with SerialEngine("grader.opening:open_own_desk", {"course": str(copy)}) as opened:
        yield opened


@pytest.mark.parametrize(
    ("data", "passed"),
    [
        (RIGHT.encode(), 3),
        (RIGHT.encode() + b"def x(:", 0),
        ("# 加倍\n".encode("gbk") + RIGHT.encode(), 3),
        (b"def other(a, b):\n    return a\n", 0),
    ],
    ids=["right", "syntax error", "gbk", "another name"],
)
def test_the_file_in_place_is_checked_whatever_it_holds(
    data: bytes, passed: int, copy: Path, engine: SerialEngine
) -> None:
    path = copy / "assignments/doubling/doubling.py"
    path.write_bytes(data)
    assert load_course(copy).assignments
    ((_, document),) = engine.map([Job(str(path), "doubling", PUBLIC_SEED, public_only=True)])
    assert document["status"] == "graded"
    assert sum(test["outcome"] == "passed" for test in document["tests"]) == passed


def test_a_course_whose_stub_is_gone_is_still_a_course(copy: Path) -> None:
    (copy / "assignments/doubling/doubling.py").unlink(missing_ok=True)
    assert load_course(copy).assignments
