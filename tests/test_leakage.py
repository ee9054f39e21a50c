from __future__ import annotations

import json

import pytest

from grader.leakage import leaks

SOLUTION = '''
import math


class Heads:
    def __init__(self, width):
        self.proj = make(width, 3 * width)


def attention(q, k, v, mask=None):
    """Scores, weights, values."""
    batch, time = q.shape[:2]
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    example = math.floor(2.5)
    weights = scores.softmax(dim=-1)
    check(weights, v)
    return weights @ v, weights
'''


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("stub.py", "def f(q, k):\n    s = q@k.mT/math.sqrt( q.shape[-1] )\n"),
        ("stub.py", "def f(q, k):\n    # scores = q @ k.mT / math.sqrt(q.shape[-1])\n    raise NotImplementedError\n"),
        ("broken.py", "def f(:\n    return scores.softmax(dim=-1)\n"),
        ("README.md", "First write `scores.masked_fill(~mask, -math.inf)`, then go on.\n"),
        ("README.zh.md", "```python\nreturn weights @ v, weights\n```\n"),
        ("assignment.yaml", 'hints:\n  - "try `weights = scores.softmax(dim=-1)`"\n'),
        ("deeper/check.py", "x = scores.softmax(dim=-1)\n"),
        (
            "stub.ipynb",
            json.dumps({"cells": [{"cell_type": "code", "source": ["a = 1\n", "w = scores.softmax(dim=-1)"]}]}),
        ),
        ("stub.ipynb", json.dumps({"cells": [{"cell_type": "markdown", "source": "`scores.softmax(dim=-1)`"}]})),
    ],
)
def test_a_statement_of_the_solution_is_found_wherever_students_read(tmp_path, name, text):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert [leak.file for leak in leaks(SOLUTION, tmp_path)] == [path]


def test_a_leak_names_its_line_and_its_statement(tmp_path):
    (tmp_path / "stub.py").write_text("import math\n\n\ny = scores.softmax(dim=-1)\n", encoding="utf-8")
    (leak,) = leaks(SOLUTION, tmp_path)
    assert (leak.line, leak.statement) == (4, "scores.softmax(dim=-1)")


@pytest.mark.parametrize(
    "text",
    [
        '"""Scores, weights, values."""\n',
        "batch, time = q.shape[:2]\n",
        "self.proj = make(width, 3 * width)\n",
        "example = math.floor(2.5)\n",
        "return weights\n",
        "check(weights, v)\n",
        "scores = student.attention(q, k, v)\n",
        "return scores.softmax(dim=-2)\n",
        "import math\n",
    ],
)
def test_what_tells_nothing_or_belongs_to_the_contract_is_no_leak(tmp_path, text):
    (tmp_path / "stub.py").write_text(text, encoding="utf-8")
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    assert leaks(SOLUTION, tmp_path) == []
