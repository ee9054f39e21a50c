"""``grader new``: an assignment that validates at once, in any course, with no change to the machinery."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.cli import main
from grader.errors import UsageError
from grader.scaffold import make
from grader.scaffold.entry import entered

ROOT = Path(__file__).resolve().parent.parent
ENGLISH = """\
# Spring term
title: {en: A course of one language}
languages: [en]
assignments:   # in order
  - doubling  # the first
feedback: {before_deadline: full}
"""


@pytest.fixture
def empty_course(course_root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(course_root)
    return course_root


def run(*arguments: str, course: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "grader", *arguments],
        cwd=course, capture_output=True, text=True, encoding="utf-8", check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip


def test_a_new_assignment_validates_at_once(empty_course):
    assert main(["new", "layer_norm"]) == 0
    made = sorted(str(p.relative_to(empty_course)) for p in empty_course.rglob("*layer_norm/*"))
    assert made == [
        "assignments/layer_norm/README.md",
        "assignments/layer_norm/README.zh.md",
        "assignments/layer_norm/assignment.yaml",
        "assignments/layer_norm/checks_public.py",
        "assignments/layer_norm/layer_norm.py",
        "reference/layer_norm/checks.py",
        "reference/layer_norm/faults.py",
        "reference/layer_norm/solution.py",
    ]
    ran = run("validate", "layer_norm", "--seeds", "3", course=empty_course)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "FAILS" not in ran.stdout
    assert "layer_norm: each of 3 known mistakes loses what it declares" in ran.stdout
    assert "layer_norm: 3 of 3 known mistakes are named exactly" in ran.stdout


@pytest.mark.long
def test_one_language_is_enough(empty_course):
    (empty_course / "assignments/course.yaml").write_text(ENGLISH, encoding="utf-8")
    text = (empty_course / "assignments/doubling/assignment.yaml").read_text(encoding="utf-8")
    assert main(["new", "layer_norm"]) == 0
    assert (empty_course / "assignments/doubling/assignment.yaml").read_text(encoding="utf-8") == text
    for folder in ("assignments", "reference"):
        for path in (empty_course / folder / "layer_norm").iterdir():
            assert path.name != "README.zh.md"
            assert path.read_text(encoding="utf-8").isascii(), path
    course = load_course(empty_course)
    assert [a.name for a in course.assignments] == ["doubling", "layer_norm"]
    ran = run("validate", "layer_norm", "--fast", "--lang", "en", course=empty_course)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_course_and_the_reference_may_lie_elsewhere(course_root, tmp_path_factory, monkeypatch, capsys):
    elsewhere, private = tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("private")
    monkeypatch.chdir(elsewhere)
    assert main(["new", "layer_norm", "--course", str(course_root), "--reference", str(private)]) == 0
    assert (course_root / "assignments/layer_norm/layer_norm.py").is_file()
    assert (private / "layer_norm/checks.py").is_file()
    assert not (course_root / "reference/layer_norm").exists()
    assert str(private / "layer_norm/faults.py") in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("2x", "use letters, digits and '_', such as layer_norm"),
        ("two-words", "use letters, digits and '_'"),
        ("均值", "use letters, digits and '_'"),
        ("class", "use letters, digits and '_'"),
        ("../up", "use letters, digits and '_'"),
        ("torch", "torch.py would hide a Python module; take another"),
        ("random", "random.py would hide a Python module; take another"),
        ("doubling", "is there already: take another name, or move it away first"),
    ],
)
def test_a_name_that_cannot_be_is_refused_with_what_to_do(empty_course, capsys, name, said):
    before = {path: path.read_bytes() for path in empty_course.rglob("*") if path.is_file()}
    assert main(["new", name]) == 2
    assert said in capsys.readouterr().err
    assert {path: path.read_bytes() for path in empty_course.rglob("*") if path.is_file()} == before


def test_a_name_the_course_lists_without_a_folder_is_refused(empty_course):
    with pytest.raises(UsageError, match="lists 'lost' already"):
        make(empty_course, empty_course / "reference", "lost", ["en"], ["doubling", "lost"])


def test_what_cannot_be_written_leaves_nothing_behind(empty_course):
    (empty_course / "in_the_way").write_text("a file where a folder should be")
    with pytest.raises(UsageError, match="nothing was kept"):
        make(empty_course, empty_course / "in_the_way", "layer_norm", ["en"], ["doubling"])
    assert not (empty_course / "assignments/layer_norm").exists()
    assert "layer_norm" not in (empty_course / "assignments/course.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("assignments: [a]\n", "assignments: [a, new]\n"),
        ("assignments: [a, 'b'] # two\nx: [1]\n", "assignments: [a, 'b', new] # two\nx: [1]\n"),
        ("assignments: [\n  a,\n  b,\n]\n", "assignments: [\n  a,\n  b, new\n]\n"),
        ("assignments:\n- a\n- b\n", "assignments:\n- a\n- b\n- new\n"),
        ("x: [1]\nassignments:\n  - a\n  -   b  # last", "x: [1]\nassignments:\n  - a\n  -   b  # last\n  - new\n"),
        ("assignments:\n  - a\ny: [2]\n", "assignments:\n  - a\n  - new\ny: [2]\n"),
    ],
)
def test_the_name_is_entered_and_nothing_else_is_touched(before, after):
    assert entered(before, "new") == after


def test_a_list_no_place_is_seen_in_is_left_to_its_author():
    with pytest.raises(UsageError, match="add it to the list 'assignments' there"):
        entered("assignments: [a # ]\n  ]\n", "new")
