"""Hidden checks of ``by_hand``.

Every function is asked alone, on arrays made here. Where ``worked_example`` or ``score_variance`` go wrong only because
they call a helper of the student's that has lost its own marks, they are judged by what that helper gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from grader.checks import Text, criterion, expect, needs

Array = np.ndarray[Any, np.dtype[np.float64]]

QUERY = np.array([[1.0, 1.0]])
KEYS = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
VALUES = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
STEPS = ("scores", "scaled", "weights", "output")
NAMES = ("row", "column")
SOFTMAX = "softmax(scores)"


def _array(x: object, shape: tuple[int, ...], what: str) -> Array:
    """A NumPy array of numbers of exactly this shape, as float64."""
    return np.ascontiguousarray(expect.array(x, shape, what), dtype=np.float64)


def _close(got: Array, want: Array, what: str, axes: tuple[str, ...] = NAMES) -> None:
    expect.close(got, want, atol=1e-9, rtol=1e-7, what=what, axes=axes)


# ---------------------------------------------------------------------------------------------------------------
# One step a function
# ---------------------------------------------------------------------------------------------------------------


@criterion("causal_average")
@pytest.mark.parametrize("width", [1, 3])
def test_each_row_is_the_mean_of_the_rows_so_far(student, rng, width):
    """Row i of causal_average is the mean of rows 0 to i, for any number of rows."""
    for rows in (6, 1):
        x = rng(rows, width).numpy()
        want = np.stack([x[: i + 1].mean(axis=0) for i in range(rows)])
        _close(_array(student.causal_average(x), want.shape, "causal_average(x)"), want, "causal_average(x)")


@criterion("dot_scores")
@pytest.mark.parametrize(("tq", "tk", "d"), [(4, 4, 3), (3, 5, 4), (5, 2, 7)])
def test_scores_are_plain_dot_products(student, rng, tq, tk, d):
    """Entry [i, j] of dot_scores is the dot product of query i and key j."""
    q, k = rng(tq, d).numpy(), rng(tk, d).numpy()
    want = np.einsum("id,jd->ij", q, k)
    got = _array(student.dot_scores(q, k), want.shape, "dot_scores(q, k)")
    _close(got, want, "dot_scores(q, k)", ("query", "key"))


@criterion("scale")
@pytest.mark.parametrize(("d", "shape"), [(9, (3, 5)), (64, (4, 4)), (5, (6,))])
def test_scores_are_divided_by_the_root(student, rng, d, shape):
    """scale_scores divides by the square root of d_k."""
    scores = 3 * rng(*shape).numpy()
    got = _array(student.scale_scores(scores, d), shape, "scale_scores(scores, d_k)")
    _close(got, scores / math.sqrt(d), "scale_scores(scores, d_k)")


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


@criterion("softmax")
@pytest.mark.parametrize("shape", [(5,), (4, 4), (3, 5), (2, 3, 5), (2, 3, 4, 5)])
def test_softmax_shares_one_along_the_last_axis(student, rng, shape):
    """softmax turns every row along the last axis into shares of one, for any number of axes."""
    scores = 1.5 * rng(*shape).numpy()
    got = _array(student.softmax(scores), shape, SOFTMAX)
    _close(got, _softmax(scores), SOFTMAX, ("batch", "head", "query", "key"))


@criterion("softmax_stable")
def test_softmax_does_not_depend_on_the_level(student, rng):
    """Scores around +10000 or -10000 give what scores around 0 give."""
    scores = rng(5, 5).numpy()
    base = _weights(student, scores)
    expect.that(bool((base > 0).all()), Text(en="a weight is not above 0", zh="有的权重不大于 0"))
    why = Text(en="softmax gives two answers to one question", zh="同样的输入，softmax 两次结果不同")
    expect.same(_weights(student, scores), base, atol=1e-9, rtol=1e-9, what=SOFTMAX, why=why)
    expect.differs(base, _weights(student, -scores), by=1e-3, what=SOFTMAX)
    shifts = bool((np.abs(_weights(student, scores + 1) - base) < 1e-6).all())
    for level in (1e4, -1e4):
        far = _weights(student, scores + level)
        want = base if shifts else far  # what is no softmax among small scores already need not be one here
        expect.close(far, want, atol=1e-6, rtol=1e-6, what=SOFTMAX, axes=NAMES)


def _weights(student: Any, scores: Array) -> Array:
    got = _array(student.softmax(scores), scores.shape, SOFTMAX)
    expect.finite(torch.from_numpy(got), SOFTMAX)
    return got


@criterion("softmax_stable")
@needs("softmax")
def test_rows_of_very_different_size(student, rng):
    """A row around -10000 is as right as the row around +10000 beside it."""
    levels = np.array([1e4, -1e4, 0.0, -300.0, 300.0])[rng.permutation(5)]
    scores = rng(5, 4).numpy() + levels[:, None]
    expect.close(_weights(student, scores), _softmax(scores), atol=1e-6, rtol=1e-6, what=SOFTMAX, axes=NAMES)


@criterion("weighted_sum")
@pytest.mark.parametrize(("tq", "tk", "dv"), [(4, 4, 4), (3, 5, 2)])
def test_output_adds_up_the_values_by_their_weights(student, rng, tq, tk, dv):
    """Row i of weighted_sum adds up the rows of v by the weights of row i."""
    weights, v = rng.uniform(0, 1, tq, tk).numpy(), rng(tk, dv).numpy()
    want = np.einsum("ij,jd->id", weights, v)
    got = _array(student.weighted_sum(weights, v), want.shape, "weighted_sum(weights, v)")
    _close(got, want, "weighted_sum(weights, v)")


# ---------------------------------------------------------------------------------------------------------------
# The worked example, key by key
# ---------------------------------------------------------------------------------------------------------------


def _exact() -> dict[str, Array]:
    scores = (QUERY @ KEYS.T)[0]
    scaled = scores / math.sqrt(2)
    weights = _softmax(scaled)
    return {"scores": scores, "scaled": scaled, "weights": weights, "output": weights @ VALUES}


def _given(example: object, key: str) -> Array:
    """The flat numbers under ``key``, as a list or an array, ``[n]`` or ``[1, n]``."""
    note = Text(en="worked_example() should return a dict", zh="worked_example() 应当返回一个字典")
    if not isinstance(example, dict):
        expect.that(False, note)
        return np.empty(0)
    absent = Text(en=f"the dict of worked_example() has no key '{key}'", zh=f"worked_example() 的字典里没有键 '{key}'")
    expect.that(key in example, absent)
    what = f"worked_example()['{key}']"
    array = expect.array(example[key], what=what, lists=True).astype(np.float64)
    n = 2 if key == "output" else 3
    return np.asarray(_array(array, (1, n) if array.ndim == 2 else (n,), what)).reshape(n)


def _near(got: Array, want: Array) -> bool:
    """Exact, or rounded to two decimals (0.25 · 1 + 0.50 · 2 with rounded weights is 1.25, the exact sum 1.26)."""
    finite = got.shape == want.shape and bool(np.isfinite(got).all() and np.isfinite(want).all())
    return finite and bool((np.abs(got - want) <= 0.0055).all())


def _follows(student: Any, example: object, key: str) -> bool:
    """Whether this step is exact, or is what the student's own helper makes of a step before it that holds."""
    if _near(_given(example, key), _exact()[key]):
        return True
    if key == "scores":
        return _dot_scores_alive(student) and _own(student.dot_scores, _given(example, key), QUERY, KEYS)
    before = STEPS[STEPS.index(key) - 1]
    if not _follows(student, example, before):
        return False
    last, got = _given(example, before), _given(example, key)
    match key:
        case "scaled":
            return any(_own(student.scale_scores, got, form, 2) for form in (last[None], last))
        case "weights":
            return any(_own(student.softmax, got, form) for form in (last[None], last))
        case _:
            return _own(student.weighted_sum, got, last[None], VALUES)


def _own(helper: Callable[..., object], got: Array, *args: object) -> bool:
    answer = helper(*args)
    return isinstance(answer, np.ndarray) and answer.dtype.kind in "fiu" and _near(got, answer.reshape(-1))


def _dot_scores_alive(student: Any) -> bool:
    """Whether the student's dot_scores moves with the query and with the keys."""
    once, query, keys = (
        student.dot_scores(q, k) for q, k in ((QUERY, KEYS), (QUERY * [[2, 1]], KEYS), (QUERY, 2 * KEYS + 1))
    )
    arrays = [a for a in (once, query, keys) if isinstance(a, np.ndarray) and a.size == 3 and a.dtype.kind in "fiu"]
    if len(arrays) < 3 or not all(np.isfinite(a).all() for a in arrays):
        return False
    first, *others = (a.reshape(-1).astype(np.float64) for a in arrays)
    return all(bool((np.abs(first - other) > 1e-3).any()) for other in others)


def _expect_step(student: Any, key: str) -> None:
    example = student.worked_example()
    if _follows(student, example, key):
        return
    what = f"worked_example()['{key}']"
    expect.close(_given(example, key), _exact()[key], atol=0.0055, rtol=0, what=what, axes=("entry",))


@criterion("worked_example")
def test_worked_scores(student):
    """The three dot products of the example are right."""
    _expect_step(student, "scores")


@criterion("worked_example")
def test_worked_scaled_scores(student):
    """The three scaled scores of the example are right."""
    _expect_step(student, "scaled")


@criterion("worked_example")
def test_worked_weights(student):
    """The three weights of the example are right."""
    _expect_step(student, "weights")


@criterion("worked_example")
def test_worked_output(student):
    """The two entries of the example's output are right."""
    _expect_step(student, "output")


# ---------------------------------------------------------------------------------------------------------------
# The variance of dot products
# ---------------------------------------------------------------------------------------------------------------


def _number(x: object, what: str) -> float:
    """Whatever float() takes, finite."""
    note = Text(en=f"{what} should be a number", zh=f"{what}应当是一个数")
    try:
        value = float(x.item() if hasattr(x, "item") and np.size(x) == 1 else x)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, RuntimeError):
        value = math.nan
    expect.that(math.isfinite(value), note)
    return value


def _variances(student: Any, d: int, seed: int, pairs: int = 3000) -> tuple[float, float]:
    value = student.score_variance(d, pairs, seed)
    note = Text(
        en="score_variance should return a tuple of two numbers, (raw, scaled)",
        zh="score_variance 应当返回两个数的元组 (raw, scaled)",
    )
    expect.that(isinstance(value, tuple) and len(value) == 2, note)
    return _number(value[0], "the raw variance"), _number(value[1], "the scaled variance")


def _live_variances(student: Any, rng: Any, d: int) -> tuple[float, float]:
    """The two variances, which are the same for the same seed and others for another."""
    seed = rng.number(0, 10_000)
    once, again, other = (_variances(student, d, s) for s in (seed, seed, seed + 1))
    same = Text(en="the same seed gives other numbers the second time", zh="同一个 seed 两次得到的数不同")
    expect.that(once == again, same)
    still = Text(en="another seed gives the same numbers", zh="换一个 seed，得到的数却不变")
    expect.that(once[0] != other[0] and once[1] != other[1], still)
    return once


@criterion("variance")
@pytest.mark.parametrize("d", [4, 64])
def test_raw_variance_grows_with_the_width(student, rng, d):
    """The variance of q·k is about d_k."""
    raw, _ = _live_variances(student, rng, d)
    grows = Text(en=f"for d_k = {d} the raw variance is {raw:.4g}, expected about {d}",
                 zh=f"d_k = {d} 时未缩放的方差是 {raw:.4g}，应当约为 {d}")  # fmt: skip
    expect.that(abs(raw / d - 1) < 0.25, grows)


@criterion("variance")
def test_scaled_variance_is_about_one(student, rng):
    """The variance of q·k/√d_k is about 1, whatever d_k is."""
    for d in (4, 64):
        raw, scaled = _live_variances(student, rng, d)
        note = Text(en=f"for d_k = {d} the scaled variance is {scaled:.4g}, expected about 1",
                    zh=f"d_k = {d} 时缩放后的方差是 {scaled:.4g}，应当约为 1")  # fmt: skip
        expect.that(abs(scaled - 1) < 0.25 or _scaled_by_own_helper(student, d, raw, scaled), note)


def _scaled_by_own_helper(student: Any, d: int, raw: float, scaled: float, pairs: int = 3000) -> bool:
    """Whether the scaled variance is what the student's own scale_scores makes of a right raw one.

    It may have been asked for one dot product at a time or for all of them.
    """
    if not abs(raw / d - 1) < 0.25:
        return False
    for n in (1, pairs):
        answer = student.scale_scores(np.ones(n), d)
        if isinstance(answer, np.ndarray) and answer.shape == (n,) and answer.dtype.kind in "fiu":
            factor = float(answer[0])
            if abs(factor) < 1e6 and math.isclose(scaled, raw * factor**2, rel_tol=0.05):
                return True
    return False
