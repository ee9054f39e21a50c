"""Which statements define something, and which only run something."""

from __future__ import annotations

import ast

import pytest

from grader.worker.defining import defines


@pytest.mark.parametrize(
    "statement",
    [
        "import torch",
        "from math import sqrt",
        "def f():\n    while True: pass",
        "class A: pass",
        "n: int = 3",
        "NEG = float('-inf')",
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')",
        "A.forward = forward",
        "try:\n    import seaborn\nexcept ImportError:\n    seaborn = None",
        "if torch.__version__ > '2':\n    def f(): pass\nelse:\n    f = None",
    ],
)
def test_definitions_and_plain_values_are_kept(statement: str) -> None:
    assert defines(ast.parse(statement).body[0])


@pytest.mark.parametrize(
    "statement",
    [
        "train()",
        "loss = train()",
        "x = [slow(i) for i in y]",
        "for i in range(9): pass",
        "while True: pass",
        "data = model.fit()",
        "with torch.no_grad():\n    pass",
        "try:\n    train()\nexcept Exception:\n    pass",
        "if f():\n    x = 1",
        "x: int",
    ],
)
def test_what_runs_something_is_not(statement: str) -> None:
    assert not defines(ast.parse(statement).body[0])
