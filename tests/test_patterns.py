"""Wrong answers that no known mistake gives are described by what is plain about them."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from grader.diagnosis.measured import Wrong
from grader.diagnosis.patterns import pattern_in
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


@pytest.mark.parametrize("change", [lambda x, right: right - x, lambda x, right: None, lambda x, right: x[:1]])
def test_nothing_is_told_where_nothing_is_plain(change: object) -> None:
    wrong = calls(change)
    assert pattern_in(wrong, wrong, "scale") is None


def test_a_pattern_has_to_hold_in_every_call_and_in_more_than_two() -> None:
    mixed = [*calls(lambda x, right: x.clone()), *calls(lambda x, right: right - x)]
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


def masked(factor: float, fill: float) -> list[Wrong]:
    """Weights under a causal mask from scores times a factor, beside the right ones."""
    found = []
    for size in (3, 4, 5):
        scores = torch.randn(size, size, generator=DRAWS, dtype=torch.float64)
        hidden = torch.ones(size, size).triu(1) == 1
        right, got = (
            (torch.zeros(size), (f * scores).masked_fill(hidden, low).softmax(-1))
            for f, low in ((1.0, -torch.inf), (factor, fill))
        )
        found.append(Wrong(Answered("f", got, given=(scores,)), Answered("f", right)))
    return found


@pytest.mark.parametrize(("name", "number", "change"), [
    ("multiple_of_the_right", "1.41", lambda x, right: 2**0.5 * right),
    ("rows_do_not_sum_to_one", "0.9", lambda x, right: 0.9 * right.roll(1, -1)),
])  # fmt: skip
def test_a_fact_is_told_with_its_number(name: str, number: str, change: object) -> None:
    found = pattern_in(wrong := calls(change), wrong, "scale")
    assert found is not None and found.id == name and number in found.text.en and number in found.text.zh


@pytest.mark.parametrize(("factor", "fill", "name", "number"), [
    (1.0, -5.0, "hidden_keys_seen", "up to 0."),
    (1.0, -11.0, "hidden_keys_seen", "e-0"),
    (2.5, -torch.inf, "scores_off_by_a_factor", "a factor: 2.5."),
])  # fmt: skip
def test_weights_among_other_results_show_a_weak_fill_and_a_wrong_scale(
    factor: float, fill: float, name: str, number: str
) -> None:
    wrong = masked(factor, fill)
    found = pattern_in(wrong, wrong, "scale")
    assert found is not None and found.id == name and number in found.text.en


def test_what_is_said_of_a_function_holds_wherever_it_is_wrong() -> None:
    half, other = calls(lambda x, right: x.clone()), calls(lambda x, right: right - x)
    assert pattern_in(half, half, "scale", everywhere=half) is not None
    assert pattern_in(half, half, "scale", everywhere=[*half, *other]) is None


def test_a_function_of_chance_is_told_and_a_module_is_not() -> None:
    x, right = torch.eye(3), torch.zeros(3)

    def call(name: str, number: int) -> Wrong:
        return Wrong(Answered(name, torch.arange(3) * number - 9.0, given=(x,)), Answered(name, right))

    for name, told in (("attention", "changes_from_call_to_call"), ("Module", None)):
        wrong = [call(name, number) for number in (1, 2, 3)]
        found = pattern_in(wrong, wrong, "scale")
        assert (found and found.id) == told
