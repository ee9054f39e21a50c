"""Wrong answers that no known mistake gives are described by what is plain about them."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from grader.diagnosis.patterns import Wrong, pattern_in
from grader.student.log import Answered

DRAWS = torch.Generator().manual_seed(3)


def calls(change: object, count: int = 3, size: int = 4) -> list[Wrong]:
    found = []
    for _ in range(count):
        x = torch.randn(size, size, generator=DRAWS, dtype=torch.float64)
        right = torch.softmax(x @ x.T + torch.arange(size), -1)
        found.append(Wrong(Answered("f", change(x, right), given=(x,)), Answered("f", right)))  # type: ignore[operator]
    return found


@pytest.mark.parametrize(("name", "change"), [
    ("columns_sum_to_one", lambda x, right: torch.softmax(x, -2)),
    ("table_sums_to_one", lambda x, right: torch.softmax(x.flatten(), -1).reshape(x.shape)),
    ("equals_an_input", lambda x, right: x.clone()),
    ("transposed", lambda x, right: right.T),
    ("all_nan", lambda x, right: right * float("nan")),
    ("all_zero", lambda x, right: right * 0),
])  # fmt: skip
def test_a_pattern_is_told(name: str, change: object) -> None:
    wrong = calls(change)
    found = pattern_in(wrong, wrong, "scale")
    assert found is not None and found.id == name and found.costs == ["scale"] and found.text.zh


@pytest.mark.parametrize("change", [lambda x, right: right + 1, lambda x, right: None, lambda x, right: x[:1]])
def test_nothing_is_told_where_nothing_is_plain(change: object) -> None:
    wrong = calls(change)
    assert pattern_in(wrong, wrong, "scale") is None


def test_a_pattern_has_to_hold_in_every_call_and_in_more_than_two() -> None:
    mixed = [*calls(lambda x, right: x.clone()), *calls(lambda x, right: right + 1)]
    assert pattern_in(mixed, mixed, "scale") is None
    few = calls(lambda x, right: x.clone(), count=2)
    assert pattern_in(few, few, "scale") is None


def test_an_argument_that_never_matters_is_named_by_its_place() -> None:
    def call(q: Tensor, k: Tensor) -> Wrong:
        return Wrong(Answered("f", q @ q.T, given=(q, k)), Answered("f", q @ k.T))

    q, k, other = (torch.randn(3, 3, generator=DRAWS) for _ in range(3))
    wrong = [call(q, k), call(q, other), call(other, k)]
    found = pattern_in(wrong, wrong, "dot_products")
    assert found is not None and found.id == "argument_ignored" and "argument 2" in found.text.en
