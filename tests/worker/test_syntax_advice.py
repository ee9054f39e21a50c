"""A line that Python cannot read comes with what to do about it, where its text shows that."""

from __future__ import annotations

import pytest

from tests.worker.loading import run


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> main\n", "git merge"),
        ("```python\nx = 1\n```\n", "fence"),
        ("x = 1\n\u200b\n", "does not show"),
        ("if x:\n\u00a0   y = 1\n", "does not show"),
        ("print(“x”)\n", "word processor"),
        ("x = （1）\n", "keyboard to English"),
        ("def f():\n    x = 1\n\treturn x\n", "use blanks"),
    ],
)
def test_what_to_do_is_said(source: str, words: str) -> None:
    said = next(remark for remark in run(source).result.remarks if remark["kind"] == "syntax_error")
    assert words in said["text_en"]
    assert said["text_zh"].count("\n") == said["text_en"].count("\n") == 4


def test_nothing_is_said_where_the_cause_is_not_plain() -> None:
    said = run("x = = 1\n").result.remarks[0]
    assert said["text_en"].count("\n") == 3
