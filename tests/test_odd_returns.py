"""Whatever a function returns, the verdict is the student's, never a fault of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.desk import Desk
from grader.model.outcome import Outcome
from grader.model.submission import Job

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("by_hand", "attention", "causal_mask", "padding_mask", "multi_head", "cross_attention")
ODD = {
    "none": "None",
    "text": "'a tensor'",
    "scalar": "torch.tensor(0.5)",
    "empty": "torch.zeros(0)",
    "one_axis": "torch.ones(7)",
    "more_axes": "torch.ones(1, 2, 1, 3, 1, 2, 1)",
    "nan": "mapped(value, lambda t: t.double() * float('nan'))",
    "infinite": "mapped(value, lambda t: t.double() / 0)",
    "whole_numbers": "mapped(value, lambda t: t.long())",
    "bool": "mapped(value, lambda t: t > 0)",
    "complex": "mapped(value, lambda t: t.to(torch.complex64))",
    "half": "mapped(value, lambda t: t.half())",
    "numpy": "mapped(value, lambda t: t.detach().numpy())",
    "torch_for_numpy": "torch.as_tensor(value) if not isinstance(value, (tuple, dict)) else value",
    "nested": "((value, value), [value])",
    "list": "list(value) if isinstance(value, tuple) else [value]",
    "dict": "{'output': value, 3: None}",
    "object": "object()",
    "transposed": "mapped(value, lambda t: t.swapaxes(-1, -2) if t.ndim > 1 else t)",
    "first_row": "mapped(value, lambda t: t[:1] if t.ndim else t)",
    "detached": "mapped(value, lambda t: t.detach())",
    "sparse": "mapped(value, lambda t: t.to_sparse())",
    "every_third": "value if next(counter) % 3 else None",
    "shape_by_turns": "value if next(counter) % 2 else mapped(value, lambda t: t[..., :1])",
}
SHORT = ("none", "nested", "numpy", "transposed", "object")
WITH_DIAGNOSIS = ("none", "nested")  # the others are a matter of marks
WRAP = """

import itertools, functools, inspect
import numpy as np, torch
counter = itertools.count()

def mapped(value, change):
    if isinstance(value, tuple):
        return tuple(mapped(v, change) for v in value)
    if isinstance(value, dict):
        return {{k: mapped(v, change) for k, v in value.items()}}
    if isinstance(value, np.ndarray):
        value = torch.as_tensor(value)
    return change(value) if isinstance(value, torch.Tensor) else value

def odd(f):
    @functools.wraps(f)
    def call(*args, **named):
        value = f(*args, **named)
        return {expression}
    return call

for name, thing in list(globals().items()):
    if inspect.isfunction(thing) and name in {names}:
        globals()[name] = odd(thing)
    elif inspect.isclass(thing) and name in {names}:
        thing.forward = odd(thing.forward)
"""


@pytest.mark.parametrize("odd", [o if o in SHORT else pytest.param(o, marks=pytest.mark.long) for o in sorted(ODD)])
@pytest.mark.parametrize("name", NAMES)
def test_an_odd_result_is_graded(name: str, odd: str, desk: Desk, tmp_path: Path) -> None:
    solution = (ROOT / "reference" / name / "solution.py").read_text(encoding="utf-8")
    exercise = desk.exercise(name)
    functions = {f.name for f in exercise.assignment.functions}
    path = tmp_path / exercise.assignment.file
    path.write_text(solution + WRAP.format(expression=ODD[odd], names=functions), encoding="utf-8")
    asks = "" if odd in WITH_DIAGNOSIS else "marks"
    report = desk.report(Job(str(path), name, 99, asks=asks))
    faults = [f"{t.id}: {t.detail}" for t in report.tests if t.outcome is Outcome.GRADER_FAULT]
    assert not any(flag.kind == "diagnosis_failed" for flag in report.flags)
    assert report.status == "graded", "\n".join(faults) or report.output.stderr
    if odd in ("none", "text", "empty", "object"):
        assert report.score is not None and report.score < report.max_score / 2
