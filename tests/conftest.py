"""What several rooms' tests share: a small course that is right, to be broken on purpose."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from grader.desk import Desk

ROOT = Path(__file__).resolve().parent.parent

# Before anything imports torch: the suite runs one process a core.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# Grading processes import nothing from the working folder; some tests give them work of their own to do.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))


def pytest_configure(config: pytest.Config) -> None:
    """The short suite says the same each time; the long one draws anew. Ctrl-C is tried, whoever started us."""
    settings.register_profile("the same each time", derandomize=True, deadline=None)
    if "long" not in str(config.option.markexpr).replace("not long", ""):
        settings.load_profile("the same each time")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell's background jobs have it
        signal.signal(signal.SIGINT, signal.default_int_handler)


collect_ignore_glob = ["golden/*/*/*.py"]  # submissions, not tests

COURSE = """\
title: {en: A small course, zh: 小课程}
languages: [en, zh]
assignments: [doubling]
feedback: {before_deadline: criteria, after_release: full}
"""
ASSIGNMENT = """\
title: {en: Doubling, zh: 加倍}
file: doubling.py
functions:
  - name: double
    parameters: [x]
    aliases: [twice]
criteria:
  - id: values
    marks: 2
    title: {en: Every entry is doubled, zh: 每个元素都加倍}
    hints:
      en: [Look at one entry., Look at the sign., Add the tensor to itself.]
      zh: [看一个元素。, 看符号。, 把张量与自己相加。]
  - id: inputs_untouched
    marks: 0.5
    title: {en: The input stays as it was, zh: 输入保持原样}
    hints:
      en: [Look at x afterwards., In place or not?, Make a new tensor.]
      zh: [之后看看 x。, 是否原地修改？, 新建一个张量。]
    all_or_nothing: true
    when_blocked: free
forbidden: {calls: [torch.add], costs: 1}
limits: {call_s: 2, memory_mib: 512}
"""
STUB = '''\
"""Doubling."""

from torch import Tensor


def double(x: Tensor) -> Tensor:
    """x [...] -> [...]: every entry twice as large."""
    raise NotImplementedError("TODO: double the entries")
'''
SOLUTION = '''\
"""Doubling, as a paper would write it."""


def double(x):
    return 2 * x
'''
FILES = {
    "assignments/course.yaml": COURSE,
    "assignments/doubling/assignment.yaml": ASSIGNMENT,
    "assignments/doubling/doubling.py": STUB,
    "assignments/doubling/README.md": "# Doubling\n\nMake every entry twice as large.\n",
    "assignments/doubling/README.zh.md": "# 加倍\n\n让每个元素变成两倍。\n",
    "assignments/doubling/checks_public.py": "",
    "reference/doubling/solution.py": SOLUTION,
    "reference/doubling/checks.py": "",
}


@pytest.fixture(scope="session")
def make_course() -> Callable[[Path], Path]:
    """Writes a course of one assignment that is right in every respect into an empty folder."""

    def write(folder: Path) -> Path:
        for name, text in FILES.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def course_root(tmp_path: Path, make_course: Callable[[Path], Path]) -> Path:
    """Such a course, fresh for one test."""
    return make_course(tmp_path)


@pytest.fixture
def edit(course_root: Path) -> Callable[[str, str, str], None]:
    """Replace text in one file of the course; the old text has to be there exactly once."""

    def replace(name: str, old: str, new: str) -> None:
        path = course_root / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    return replace


@pytest.fixture(scope="session")
def desk() -> Iterator[Desk]:
    """A warm desk of the real course: grades in this process, students' code in workers of its own."""
    import torch

    from grader.opening import open_desk

    torch.set_num_threads(1)
    opened = open_desk({"course": str(ROOT), "reference": None, "environment": {}})
    yield opened
    opened.close()
