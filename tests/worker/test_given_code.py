"""Which changes of handed-out parameters are told: those that some call would notice."""

from __future__ import annotations

import ast

import pytest

from grader.worker.given_code import edits

ASKED = "def f(a, b=1, *, c, d=2):\n    raise NotImplementedError\n"


def told(parameters: str) -> bool:
    tree = ast.parse(f"def f({parameters}):\n    return a\n")
    return bool(edits({"work.py": [tree]}, [{"name": "f", "stub": ASKED}], lambda file, line: None))


@pytest.mark.parametrize("kept", [
    "a, b=1, *, c, d=2", "a: int, b: float = 1, *, c, d=2", "a, b=1, more=None, *, d=2, c", "a, b=1, *, c, d=2, e=3",
    "a, b=1, *rest, c, d=2", "*rest, **named", "a, *rest, **named",
])  # fmt: skip
def test_what_every_old_call_means_the_same_by_is_kept(kept: str) -> None:
    assert not told(kept)


@pytest.mark.parametrize("changed", [
    "a, b=1", "a, b=1, *, c", "a, b=1, *, c, d=3", "a, b=1, *, c=0, d=2", "a, b=1, *, c, d=2, e", "b, a=1, *, c, d=2",
    "a, b=2, *, c, d=2", "a, b=1, /, *, c, d=2", "x, *rest, **named", "a, b=1, c=None, *, d=2", "a, *, b=1, c, d=2",
])  # fmt: skip
def test_what_some_old_call_would_notice_is_told(changed: str) -> None:
    assert told(changed)
