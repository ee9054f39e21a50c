"""The way of a student's own run on machines without fork: the same reports, and no call that only Unix has."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.document import without_durations
from grader.engines.serial import SerialEngine
from grader.errors import CourseError
from grader.model.course import PUBLIC_SEED
from grader.model.submission import Job
from grader.practice.engine import SpareEngine
from tests.conftest import ROOT

CHECKS = '''\
"""What a student can run."""

import torch

from grader.checks import criterion, expect


@criterion("values")
def test_doubles(student):
    """Two times three is six."""
    expect.close(student.double(torch.tensor([3.0])), torch.tensor([6.0]), atol=1e-6, rtol=0)


@criterion("values")
def test_doubles_a_matrix(student):
    """And so it is for a matrix."""
    expect.close(student.double(torch.full((2, 2), 3.0)), torch.full((2, 2), 6.0), atol=1e-6, rtol=0)


@criterion("inputs_untouched")
def test_leaves_the_input_alone(student):
    """The input is as before."""
    x = torch.tensor([3.0])
    expect.unchanged(student.watch("double", x), x)
'''
RIGHT = "def double(x):\n    return 2 * x\n"
KINDS = {
    "right": RIGHT,
    "wrong": "def double(x):\n    return x + 2\n",
    "in_place": "def double(x):\n    return x.mul_(2)\n",
    "raises": "def double(x):\n    if x.dim() > 1:\n        raise ValueError('no matrix')\n    return 2 * x\n",
    "stub": 'from torch import Tensor\n\n\ndef double(x: Tensor) -> Tensor:\n    raise NotImplementedError("TODO")\n',
    "nothing": "x = 1\n",
    "syntax": RIGHT + "x = (\n",
    "no_function": "double = 5\n",
    "misspelt": "def duoble(x):\n    return 2 * x\n",
    "top_level_raises": "print(1 / 0)\n" + RIGHT,
    "top_level_exits": "import sys\nsys.exit(3)\n" + RIGHT,
    "asks": "n = input('how often?')\n" + RIGHT,
    "prints": "print('hello')\n" + RIGHT.replace("    return", "    print('called')\n    return"),
    "nothing_returned": "def double(x):\n    pass\n",
    "memory": "import torch\n\n\ndef double(x):\n    return torch.ones(1 << 50) * x\n",
    "unreadable": "\x00\x01",
}
LOST = {
    "hangs_at_import": "while True:\n    pass\n" + RIGHT,
    "hangs_for_a_matrix": "def double(x):\n    while x.dim() > 1:\n        pass\n    return 2 * x\n",
    "dies_for_a_matrix": "import ctypes\n\n\ndef double(x):\n    if x.dim() > 1:\n        ctypes.string_at(0)\n    return 2 * x\n",
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[[Path], Path]) -> Path:
    root = make_course(tmp_path_factory.mktemp("unforked"))
    (root / "assignments/doubling/checks_public.py").write_text(CHECKS)
    settings = root / "assignments/doubling/assignment.yaml"
    settings.write_text(settings.read_text().replace("call_s: 2", "call_s: 0.5"))
    for name, source in {**KINDS, **LOST}.items():
        (root / name).mkdir()
        (root / name / "doubling.py").write_text(source)
    return root


@pytest.fixture(scope="module")
def forking(course: Path) -> Iterator[SerialEngine]:
    with SerialEngine("grader.opening:open_own_desk", {"course": str(course), "stay": True}) as engine:
        yield engine


def told(engine: Any, course: Path, names: list[str]) -> dict[str, Any]:
    jobs = [
        Job(str(course / name / "doubling.py"), "doubling", PUBLIC_SEED, submission_id=name, public_only=True)
        for name in names
    ]
    return {job.submission_id: without_durations(document) for job, document in engine.map(jobs)}


def essence(document: dict[str, Any]) -> dict[str, Any]:
    """What a student reads: the walls differ, and what was printed is nobody's here."""
    kept = ("status", "reason", "criteria", "definitions", "submission", "remarks")
    tests = [
        {key: t[key] for key in ("criterion", "title", "outcome", "note", "place", "function")}
        for t in document["tests"]
    ]
    return {key: document[key] for key in kept} | {"tests": tests}


@pytest.mark.long
def test_both_ways_tell_the_same_of_every_kind(course: Path, forking: SerialEngine) -> None:
    with SpareEngine({"course": str(course)}, stay=False) as spare:
        ours = told(spare, course, [*KINDS, *LOST])
    for name, document in told(forking, course, [*KINDS, *LOST]).items():
        seen, expected = essence(ours[name]), essence(document)
        if name == "dies_for_a_matrix":  # it is for a system to say how
            assert [t["outcome"] for t in seen["tests"]] == [t["outcome"] for t in expected["tests"]]
        elif name != "unreadable":
            assert seen == expected, name


def test_what_hangs_is_left_out_and_the_rest_is_checked(course: Path, forking: SerialEngine) -> None:
    with SpareEngine({"course": str(course)}, stay=False) as spare:
        ours = told(spare, course, ["hangs_for_a_matrix"])
    assert [t["outcome"] for t in ours["hangs_for_a_matrix"]["tests"]] == ["passed", "timed_out", "passed"]
    theirs = told(forking, course, ["hangs_for_a_matrix"])
    assert essence(ours["hangs_for_a_matrix"]) == essence(theirs["hangs_for_a_matrix"])


def test_an_author_s_mistake_is_told_as_one(course_root: Path) -> None:
    (course_root / "assignments/doubling/checks_public.py").write_text("import nothing_of_that_name\n")
    with (
        SpareEngine({"course": str(course_root)}, stay=False) as spare,
        pytest.raises(CourseError, match=r"checks_public\.py:1: ModuleNotFoundError"),
    ):
        list(spare.map([Job(str(course_root), "doubling", PUBLIC_SEED, public_only=True)]))


ELSEWHERE = '''\
"""As on a system that has none of this: what the grader imports of it is missing, and so are the calls."""
import builtins, os, select, signal, sys

MISSING = {"resource", "fcntl", "termios", "tty", "pty", "pwd", "grp", "syslog", "curses"}
real = builtins.__import__

def missing(name, globals=None, locals=None, fromlist=(), level=0):
    importer = str((globals or {}).get("__name__", ""))
    if name.partition(".")[0] in MISSING and importer.partition(".")[0] == "grader":
        raise ImportError(f"{importer} imports {name}")
    return real(name, globals, locals, fromlist, level)

builtins.__import__ = missing
for module, names in {
    os: ("fork", "forkpty", "killpg", "setsid", "getpgrp", "tcgetpgrp", "pidfd_open", "sched_getaffinity", "mkfifo",
         "setuid", "setgid", "getpwuid", "wait3", "wait4", "chroot", "nice"),
    select: ("poll", "epoll"),
    signal: ("pidfd_send_signal", "setitimer", "alarm", "SIGALRM", "SIGCONT", "SIGHUP", "SIGTSTP"),
}.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
'''
EVERYTHING = """
import importlib, pkgutil, grader
LINUX = ("grader.sandbox.", "grader.worker.walls", "grader.worker.enclosure", "grader.worker.zygote", "grader.worker.forked")
for found in pkgutil.walk_packages(grader.__path__, "grader."):
    if not found.name.startswith(LINUX) and not found.name.endswith("__main__"):
        importlib.import_module(found.name)
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "sitecustomize.py").write_text(ELSEWHERE)
    path = f"{folder}{os.pathsep}{ROOT}"
    return {"PATH": "", "PYTHONPATH": path, "HOME": str(folder), "PYTHONIOENCODING": "utf-8"}


def run(environment: dict[str, str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def test_everything_but_the_walls_can_be_imported_there(elsewhere: dict[str, str], tmp_path: Path) -> None:
    ran = run(elsewhere, tmp_path, "-c", EVERYTHING)
    assert ran.returncode == 0, ran.stderr


def test_check_works_there_and_grading_says_what_it_needs(elsewhere: dict[str, str], course: Path) -> None:
    passed = run(elsewhere, course / "right", "-m", "grader", "check", "doubling.py")
    assert (passed.returncode, passed.stderr.count("\n")) == (0, 1), passed.stderr
    assert "3 of 3 public checks passed" in passed.stdout
    assert "double  doubling.py:1" in passed.stdout
    graded = run(elsewhere, course, "-m", "grader", "grade", "right/doubling.py", "-a", "doubling")
    assert graded.returncode == 3
    assert "grading needs Linux" in graded.stderr
    assert "Traceback" not in graded.stderr


def test_a_file_named_like_a_module_is_no_module_of_ours(course: Path, tmp_path: Path) -> None:
    for name in ("random", "torch", "json", "grader", "select"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('imported')\n")
    (tmp_path / "doubling.py").write_text(RIGHT)
    environment = {"PATH": "", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    command = "import sys; from grader.cli import main; sys.exit(main(sys.argv[1:]))"
    ran = run(environment, tmp_path, "-P", "-c", command, "check", "doubling.py", "--course", str(course))
    assert ran.returncode == 0, ran.stderr
