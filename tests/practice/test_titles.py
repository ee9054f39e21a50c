"""What a public check is called, in the language that was asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.checks.collected import as_test
from grader.checks.plain import collect_public
from grader.model.course import Text

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = [assignment.name for assignment in load_course(ROOT).assignments]


def titled(text: str) -> Text:
    def check(student: object) -> None: ...

    check.__doc__ = text
    check.criterion = "c"  # type: ignore[attr-defined]
    return as_test(check, "t", {}, "checks.py").title


def test_the_line_that_begins_with_zh_is_the_title_in_chinese() -> None:
    assert titled("Two rows.\n\n    zh: 两行。\n    ") == Text("Two rows.", "两行。")
    assert titled("Two rows.\n\n    What they are.").pick("zh") == "Two rows."


@pytest.mark.parametrize("name", NAMES)
def test_every_public_check_has_a_title_in_both_languages(name: str) -> None:
    assignment = load_course(ROOT).assignment(name)
    assert assignment is not None
    for test in collect_public(assignment):
        assert test.title.en.isascii() and not test.title.zh.isascii(), test.id


def test_a_check_in_chinese_names_what_holds_and_what_does_not_in_chinese(tmp_path: Path) -> None:
    right = (ROOT / "reference" / "by_hand" / "solution.py").read_text("utf-8")
    (tmp_path / "by_hand.py").write_text(right.replace("sqrt", "exp"), encoding="utf-8")
    command = [sys.executable, "-m", "grader", "--course", str(ROOT), "check", "by_hand", "--lang", "zh"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False,
                         env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"})  # fmt: skip
    assert "逐步平均值" in run.stdout and "分数 6 变成 2" in run.stdout, run.stdout + run.stderr
    assert "running means" not in run.stdout and "the score 6" not in run.stdout
