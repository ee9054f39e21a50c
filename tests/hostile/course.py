"""A course of one function with small limits, for code that means harm, and the secrets it may be after."""

from __future__ import annotations

from pathlib import Path

CANARY = "the-" + "canary-" + "sings"  # stands whole in nothing that is handed in

_COURSE = """\
title: {en: A small course}
languages: [en]
assignments: [mix]
feedback: {before_deadline: criteria, after_release: full}
"""
_CRITERION = """\
  - id: @ID@
    marks: @MARKS@
    title: {en: "@ID@"}
    hints: {en: [one, two, three]}
"""
_ASSIGNMENT = """\
title: {en: Mixing}
file: mix.py
functions:
  - name: mix
    parameters: [x, y]
limits: {call_s: 0.6, call_again_s: 0.1, load_s: 3, submission_s: 6, memory_mib: 256, frame_mib: 1, output_kib: 8, threads: 8}
criteria:
""" + "".join(
    _CRITERION.replace("@ID@", name).replace("@MARKS@", marks)
    for name, marks in (("values", "4"), ("gradient", "1"), ("untouched", "1"))
)
_SOLUTION = f"""\
import torch
CANARY = {CANARY!r}

def mix(x, y):
    return x * torch.tanh(y) + y
"""
_CHECKS = f"""\
import pytest
from grader.checks import criterion, expect

CANARY = {CANARY!r}

@criterion("values")
@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_values(student, rng, reference, n):
    \"\"\"The numbers are right.\"\"\"
    x, y = rng(n, 4), rng(n, 4)
    expect.close(student.mix(x, y), reference.mix(x, y), atol=1e-6, rtol=1e-5)

@criterion("gradient")
def test_gradient(student, rng, reference):
    \"\"\"Gradients are right.\"\"\"
    x, y = rng(3, 4).requires_grad_(), rng(3, 4)
    got = expect.tensor(student.mix(x, y), (3, 4))
    expect.close(got, reference.mix(x, y).detach(), atol=1e-6, rtol=1e-5)
    (found,) = expect.gradients(got, (x,))
    (wanted,) = expect.gradients(reference.mix(x, y), (x,))
    expect.close(found, wanted, atol=1e-6, rtol=1e-5)

@criterion("untouched")
def test_untouched(student, rng, reference):
    \"\"\"The inputs stay as they are.\"\"\"
    x, y = rng(3, 4), rng(3, 4)
    call = student.watch("mix", x, y)
    expect.close(call.value, reference.mix(x, y), atol=1e-6, rtol=1e-5)
    expect.unchanged(call, x, y)
"""
STUB = '''\
"""Mixing."""


def mix(x, y):
    """x * tanh(y) + y, for tensors of one shape."""
    raise NotImplementedError("TODO: mix")
'''
RIGHT = '''\
"""Mixing."""
import torch


def mix(x, y):
    """x * tanh(y) + y, for tensors of one shape."""
    return x * torch.tanh(y) + y
'''


def written(folder: Path) -> Path:
    """The course, as files below ``folder``."""
    files = {
        "assignments/course.yaml": _COURSE,
        "assignments/mix/assignment.yaml": _ASSIGNMENT,
        "assignments/mix/mix.py": STUB,
        "assignments/mix/README.md": "# Mixing\n",
        "assignments/mix/checks_public.py": "",
        "reference/mix/solution.py": _SOLUTION,
        "reference/mix/checks.py": _CHECKS,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
