"""What makes a grading stale, and what does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.store import conditions_of, content_digest, rubric_from, rubric_of

Edit = Callable[[str, str, str], None]


@pytest.fixture
def conditions(course_root: Path) -> Callable[[], str]:
    checks = "def test_double(student):\n    '''Doubles.'''\n    assert student.double(1) == 2\n"
    (course_root / "reference" / "doubling" / "checks.py").write_text(checks)

    def now(**run: object) -> str:
        course = load_course(course_root)
        return conditions_of(course, course.assignments[0], {"seed": 1, **run})

    return now


@pytest.mark.parametrize(
    ("old", "new"),
    [("marks: 2", "marks: 3"), ("Every entry is doubled", "Each is doubled"), ("Look at the sign.", "Signs?"),
     ("all_or_nothing: true", "all_or_nothing: false"), ("when_blocked: free", "when_blocked: costs")],
)  # fmt: skip
def test_marks_and_words_are_the_rubrics_business(
    conditions: Callable[[], str], course_root: Path, edit: Edit, old: str, new: str
) -> None:
    before, rubric = conditions(), rubric_of(load_course(course_root).assignments[0])
    edit("assignments/doubling/assignment.yaml", old, new)
    assert conditions() == before
    changed = rubric_of(load_course(course_root).assignments[0])
    assert changed.digest != rubric.digest
    assert rubric_from(changed.as_json()) == changed


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [("assignments/doubling/assignment.yaml", "call_s: 2", "call_s: 3"),
     ("assignments/doubling/assignment.yaml", "costs: 1", "costs: 0"),
     ("assignments/doubling/assignment.yaml", "[twice]", "[twofold]"),
     ("assignments/doubling/doubling.py", "TODO", "To do"),
     ("reference/doubling/solution.py", "2 * x", "x + x"),
     ("reference/doubling/checks.py", "== 2", "== 2.0")],
)  # fmt: skip
def test_what_decides_outcomes_makes_them_stale(
    conditions: Callable[[], str], edit: Edit, file: str, old: str, new: str
) -> None:
    before = conditions()
    edit(file, old, new)
    assert conditions() != before


def test_seed_and_versions_count_and_a_comment_in_the_checks_does_not(
    conditions: Callable[..., str], course_root: Path
) -> None:
    before = conditions()
    assert conditions(seed=2) != before
    assert conditions(torch="9") != before
    with (course_root / "reference" / "doubling" / "checks.py").open("a") as file:
        file.write("\n\n# A word to the next author.\n")
    assert conditions() == before


def test_a_hand_in_is_its_names_and_bytes(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "lib").mkdir(parents=True)
    (work / "a.py").write_text("1")
    (work / "lib" / "b.py").write_text("2")
    first = content_digest(work)
    os.utime(work / "a.py", (1, 1))
    (work / ".git").mkdir()
    (work / ".git" / "HEAD").write_text("x")
    (work / "__pycache__").mkdir()
    assert content_digest(work) == first
    (work / "link.py").symlink_to("/etc/passwd")
    linked = content_digest(work)
    (work / "lib" / "b.py").rename(work / "lib" / "c.py")
    moved = content_digest(work)
    (work / "a.py").write_text("3")
    assert len({first, linked, moved, content_digest(work)}) == 4
    os.mkfifo(work / "pipe.py")
    assert content_digest(work)
