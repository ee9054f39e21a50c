"""Hidden checks of ``attention``.

Each check asks one question and keeps everything else out of it:

- the three functions are asked one by one, on inputs made here, in the shapes in which the code runs at all;
- scores are compared up to one factor, so that only ``scale`` sees the scale;
- weights are compared through ``_interaction``, which no softmax over any axis can disturb, and under masks that leave
  each row, column and head as many keys as the next (``_ring``), so that only ``softmax_over_keys`` sees the axis;
- the whole function is read through V = identity or through the weights it returns, whichever way its answer can be
  read (``_readings``), so that only ``weighted_values`` sees the form of the answer;
- where one function cannot show what is asked because of a mistake that costs elsewhere (it drops its mask, it pairs
  the wrong rows), the question goes to the function that can;
- float32 where dtypes are not the question: a result in the wrong dtype then stops nothing else.

Shapes: B 2, H 3, T 5, D = Dv 8, all different, unless unequal or equal sizes are the question.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.checks import Text, criterion, expect, needs
from grader.errors import StudentRaised

B, H, T, D = 2, 3, 5, 8

SCORES = Text(en="attention_scores(q, k)", zh="attention_scores(q, k)")
WEIGHTS = Text(en="attention_weights(scores)", zh="attention_weights(scores)")
MASKED = Text(en="attention_weights(scores, mask)", zh="attention_weights(scores, mask)")
ANSWER = Text(en="the answer", zh="返回值")
OUTPUT = Text(en="the output", zh="输出")
RETURNED = Text(en="the returned weights", zh="返回的权重")
READ = Text(en="the weights inside scaled_dot_product_attention", zh="scaled_dot_product_attention 内部的权重")
UNDER_MASK = Text(en="the weights under a mask", zh="有 mask 时的权重")
HIDDEN = Text(en="the weight of a hidden key", zh="被遮住的 key 的权重")
VISIBLE = Text(en="the weight of a visible key", zh="可见 key 的权重")
EMPTY = Text(en="the weights of a row with no visible key", zh="没有可见 key 的那一行的权重")

Readings = dict[str, Tensor]  # weights by where they were read: "output", "weights"
Masking = Callable[[Tensor | None], Readings]  # what a function makes of a mask, always on the same scores

# ---------------------------------------------------------------------------------------------------------------
# Asking: in the shapes in which the code runs at all
# ---------------------------------------------------------------------------------------------------------------


def _ask(student: Any, name: str, *args: Tensor) -> Any:
    """Calls with four axes; where the code cannot take those, with batch and heads folded into one, then with two.

    Where float32 stops it on every way, so with float64. What the code should take has criteria of its own.
    """
    try:
        return getattr(student, name)(*args)
    except StudentRaised:
        lead = args[0].shape[:-2]
        foldable = len(lead) == 2 and all(a.shape[:-2] == lead for a in args)
        ways = [_ask_folded, _ask_one_by_one] if foldable else []
        doubled = [a.double() if a.dtype == torch.float32 else a for a in args]
        retries = [(way, args) for way in ways] + [(way, doubled) for way in (_ask_plainly, *ways)]
        for way, given in retries if args[0].dtype == torch.float32 else retries[: len(ways)]:
            try:
                return way(student, name, *given)
            except StudentRaised:
                continue
        raise


def _ask_plainly(student: Any, name: str, *args: Tensor) -> Any:
    return getattr(student, name)(*args)


def _ask_folded(student: Any, name: str, *args: Tensor) -> Any:
    lead = args[0].shape[:-2]
    answer = getattr(student, name)(*[a.flatten(0, 1) for a in args])
    return _each(answer, lambda x: x.unflatten(0, lead) if x.dim() > 0 and x.shape[0] == lead.numel() else x)


def _ask_one_by_one(student: Any, name: str, *args: Tensor) -> Any:
    lead = args[0].shape[:-2]
    answers = [getattr(student, name)(*page) for page in zip(*[a.flatten(0, 1) for a in args], strict=True)]
    parts = [_items(answer) for answer in answers]
    if any([x.shape for x in p] != [x.shape for x in parts[0]] for p in parts):
        return answers[0]
    stacked = [torch.stack([x.double() for x in p]).to(p[0].dtype).unflatten(0, lead) for p in zip(*parts, strict=True)]
    return stacked[0] if isinstance(answers[0], Tensor) and stacked else tuple(stacked)


def _each(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """``change`` on every tensor of an answer."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple | list):
        return type(value)(_each(item, change) for item in value)
    return value


def _items(value: object) -> list[Tensor]:
    """The floating-point tensors of an answer, in whatever form it came."""
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, tuple | list) else [value]
    return [item for item in items if isinstance(item, Tensor) and item.is_floating_point()]


def _real(x: object, shape: tuple[int, ...], what: Text) -> Tensor:
    """A floating-point tensor of this shape, as float64 and still part of the graph."""
    t = expect.tensor(x, shape, what=what)
    note = Text(en=f"{what.en} should hold floating-point numbers", zh=f"{what.zh}里应当是浮点数")
    expect.that(t.is_floating_point(), note)
    return t.double()


def _scores(student: Any, q: Tensor, k: Tensor) -> Tensor:
    """``attention_scores`` as finite float64 ``[..., Tq, Tk]``."""
    got = _real(_ask(student, "attention_scores", q, k), (*q.shape[:-1], k.shape[-2]), SCORES)
    return expect.finite(got, SCORES)


def _any_weights(student: Any, scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """``attention_weights`` as float64 of the shape of the scores; NaN is left to the caller."""
    args = (scores,) if mask is None else (scores, mask)
    return _real(_ask(student, "attention_weights", *args), scores.shape, WEIGHTS if mask is None else MASKED)


def _weights(student: Any, scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """``attention_weights`` as finite float64 of the shape of the scores."""
    return expect.finite(_any_weights(student, scores, mask), WEIGHTS if mask is None else MASKED)


def _whole(student: Any, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Any:
    """``scaled_dot_product_attention``, the mask handed over only where there is one."""
    args = (q, k, v) if mask is None else (q, k, v, mask)
    return _ask(student, "scaled_dot_product_attention", *args)


def _identity(k: Tensor, dv: int) -> Tensor:
    """Values ``[..., Tk, dv]`` that spell out the weights: the identity, with zero columns behind it."""
    return torch.eye(k.shape[-2], dv, dtype=k.dtype).expand(*k.shape[:-1], dv).contiguous()


def _readings(student: Any, q: Tensor, k: Tensor, mask: Tensor | None = None, dv: int = D) -> Readings:
    """The weights ``[..., Tq, Tk]`` of the whole function in float64: from its output, and as returned.

    The output is left out where it is no average of the values. At least one reading is there, or the check fails.
    """
    tk, wide = k.shape[-2], [*q.shape[:-1], dv]
    read: Readings = {}
    for item in _items(_whole(student, q, k, _identity(k, dv), mask)):
        if list(item.shape) == wide and not bool((item[..., tk:].abs() > 1e-4).any()):
            read.setdefault("output", item[..., :tk].double())
        elif item.shape == (*q.shape[:-1], tk):
            read.setdefault("weights", item.double())
    note = Text(
        en=f"scaled_dot_product_attention returned neither an output of shape {wide} that averages the values nor "
        f"weights of shape {[*wide[:-1], tk]}",
        zh=f"scaled_dot_product_attention 既没有返回形状为 {wide}、由 value 平均得到的输出，"
        f"也没有返回形状为 {[*wide[:-1], tk]} 的权重",
    )
    expect.that(bool(read), note)
    return read


def _pick(read: Readings, good: Callable[[Tensor], bool]) -> Tensor:
    """The first reading that shows what is asked, else the first: the form of the answer is not the question."""
    readings = list(read.values())
    return next((w for w in readings if good(w)), readings[0])


def _common(*answers: Readings) -> list[str]:
    """Where all the answers could be read."""
    return [place for place in answers[0] if all(place in read for read in answers)]


# ---------------------------------------------------------------------------------------------------------------
# What stays when normalisers and factors are taken away
# ---------------------------------------------------------------------------------------------------------------


def _interaction(x: Tensor) -> Tensor:
    """Differences along every axis: whatever a softmax over any of them divided by is gone."""
    for axis in range(x.dim()):
        x = x.diff(dim=axis)
    return x


def _logs(w: Tensor) -> Tensor:
    """The interaction of the logarithms of positive weights: that of the scores, at the student's own scale."""
    return _interaction(w.clamp_min(1e-300).log())


def _factor(got: Tensor, base: Tensor) -> float:
    """The factor c of ``got = c * base`` where there is one within a hundredth, else NaN."""
    c = float((got * base).sum() / (base * base).sum())
    rest = float((got - c * base).abs().max() / base.abs().max())
    return c if rest <= 1e-2 * abs(c) else math.nan


def _follows(w: Tensor, scores: Tensor) -> bool:
    """Whether weights are those of a softmax (over any axis) of the scores at some positive scale."""
    return bool((w > 0).all()) and _factor(_logs(w), _interaction(scores.double())) > 1e-3


def _normalises(w: Tensor) -> bool:
    """Whether weights for uneven scores add up to the same everywhere, along whichever axis."""
    return _even(w, -1, -2, -3, -4, (-2, -1))


def _even(w: Tensor, *axes: int | tuple[int, ...]) -> bool:
    """Whether the sums along one of these axes are all the same."""
    return any(bool((s - s.mean()).abs().max() <= 1e-3 * s.mean().abs()) for s in (w.sum(axis) for axis in axes))


def _ring(rng: Any, b: int = B, heads: int = H, keep: int = 2) -> Tensor:
    """A bool mask ``[b, heads, 5, 5]``, symmetric, that keeps ``keep`` keys in each row and each column.

    No two neighbouring samples or heads have the same one; of five samples or heads, ``keep`` keep each key. Where
    four are kept, each entry is seen in one of two samples and of two heads. Rows reversed, it is no longer symmetric.
    """
    n = torch.arange(T)
    samples = rng.number(1, T) * torch.arange(b)[:, None, None, None]
    offsets = rng.number(0, T) + samples + rng.number(1, T) * torch.arange(heads)[:, None, None]
    return (offsets + n[:, None] + n) % T < keep


def _pair(rng: Any, b: int = B, h: int = H) -> tuple[Tensor, Tensor]:
    """Queries and keys ``[b, h, T, D]`` in float32 whose scores are neither flat nor one-hot."""
    return 0.8 * rng(b, h, T, D, dtype=torch.float32), 0.8 * rng(b, h, T, D, dtype=torch.float32)


def _other(q: Tensor) -> Tensor:
    """Queries that any sensible scores tell from ``q``, even those of q with itself."""
    return 0.5 * q.flip(-2) + 0.3


# ---------------------------------------------------------------------------------------------------------------
# Alive: what zeros, constants, noise and inputs handed back do not do
# ---------------------------------------------------------------------------------------------------------------


def _alive_scores(student: Any, q: Tensor, k: Tensor, once: Tensor | None = None) -> Tensor:
    """Scores in which a step of one token's last feature moves that token's row or column, and nothing else.

    So they are the same twice, too, and no input cut to shape.
    """
    once = _scores(student, q, k) if once is None else once
    step = torch.zeros_like(q)
    step[..., 0, -1] = 4.0
    moved = _scores(student, q + step, k)
    if not _apart(moved, once, 1e-3):  # it pays no heed to q; that has a criterion of its own
        moved = _scores(student, q, k + step)
    far = (moved - once).abs() > 1e-3
    still = Text(en="attention_scores does not follow q and k", zh="attention_scores 没有随 q 和 k 变化")
    expect.that(max(float(far[..., 0, :].double().mean()), float(far[..., 0].double().mean())) > 0.5, still)
    others = Text(
        en="a score changes from call to call, or with a token that is not its own",
        zh="某个分数每次调用都不同，或随无关的 token 变化",
    )
    expect.same(moved[..., 1:, 1:], once[..., 1:, 1:], atol=1e-5, rtol=1e-4, what=SCORES, why=others)
    return once


def _alive_weights(student: Any, scores: Tensor) -> Tensor:
    """Weights, never negative and not all alike, of which some rise with their score and then no neighbour does.

    So they are the same twice, too.
    """
    once, lifted = _weights(student, scores), torch.zeros(scores.shape, dtype=torch.bool)
    lifted[0, 0] = torch.eye(T, dtype=torch.bool)
    change = _weights(student, scores + 2.0 * lifted) - once
    expect.that(bool((once >= 0).all()), Text(en="a weight is negative", zh="有的权重是负数"))
    still = Text(en="the weights do not follow the scores", zh="权重没有随分数变化")
    size = min(1.0, float(once.mean()))  # however many share one whole
    expect.that(float(once.std()) > 1e-2 * size and float(change.abs().max()) > 0.1 * size > 1e-6, still)
    rises = bool((change[lifted] > -1e-6).all() and (change[0, 0][~lifted[0, 0]] < 1e-6).all())
    expect.that(rises, Text(en="a larger score does not mean a larger weight", zh="分数变大，权重却没有变大"))
    return once


def _moves(student: Any, q: Tensor, k: Tensor) -> Readings:
    """The weights of the whole function: those readings that are sound and move with its inputs, or the check fails."""
    before, after = _readings(student, q, k), _readings(student, _other(q), k - 0.5)
    sound = [p for p in _common(before, after) if bool(torch.isfinite(before[p] + after[p]).all())]
    uneven = [p for p in sound if bool((before[p] > -1e-6).all() and before[p].std() > 1e-3)]
    moved = [p for p in uneven if _apart(before[p], after[p], 1e-2)]
    note = Text(
        en="the weights inside scaled_dot_product_attention do not follow its inputs",
        zh="scaled_dot_product_attention 内部的权重没有随输入变化",
    )
    expect.that(bool(moved), note)
    return {p: before[p] for p in moved}


def _steady(student: Any, q: Tensor, k: Tensor, once: Readings) -> bool:
    """Whether the whole function gives the same answer twice; a check that fails here has a criterion of its own."""
    again = _readings(student, q, k)
    return all(bool(((once[p] - again[p]).abs() < 1e-5).all()) for p in _common(once, again))


def _in_order(student: Any, rng: Any) -> bool:
    """Whether the whole function, on a square without a mask, averages v by a softmax of q kᵀ over queries or keys.

    At any scale. Where it does not, that has a criterion of its own, and a helper may speak for the whole.
    """
    q, k = _pair(rng)
    w = _readings(student, q, k).get("output")
    return w is not None and _follows(w, q @ k.mT) and _even(w, -1, -2)


# ---------------------------------------------------------------------------------------------------------------
# scores_shape
# ---------------------------------------------------------------------------------------------------------------


@criterion("scores_shape")
@pytest.mark.parametrize(
    ("lead", "name"),
    [((), "float64"), ((B,), "float64"), ((B, H), "float64"), ((B, H), "float32"), ((B, H), "bfloat16")],
)
def test_scores_have_one_entry_for_each_query_and_key(student, rng, lead, name):
    """attention_scores gives a tensor of shape [..., Tq, Tk] in the dtype of q and k."""
    dtype = getattr(torch, name)
    q, k = rng(*lead, T, D, dtype=dtype), rng(*lead, T, D, dtype=dtype)
    got = expect.tensor(student.attention_scores(q, k), (*lead, T, T), dtype, SCORES)
    _alive_scores(student, q, k, expect.finite(got.double(), SCORES))


# ---------------------------------------------------------------------------------------------------------------
# dot_products: up to one positive factor
# ---------------------------------------------------------------------------------------------------------------


def _expect_dot_products(student: Any, q: Tensor, k: Tensor) -> None:
    got, want = _scores(student, q, k), q.double() @ k.double().mT
    c = float((got * want).sum() / (want * want).sum())
    note = Text(
        en="the scores do not rise with the dot products of queries and keys",
        zh="分数没有随 query 与 key 的点积一起增大",
    )
    expect.that(c > 1e-3, note, f"factor {c:.4g}")
    what = Text(en="attention_scores, brought to the size of q·k,", zh="attention_scores（换算到 q·k 的大小后）")
    expect.close(got / c, want, atol=1e-5, rtol=1e-4, what=what)


@criterion("dot_products")
@pytest.mark.parametrize(("b", "h", "name"), [(2, 3, "float64"), (3, 5, "float32")])
def test_scores_follow_the_dot_products(student, rng, b, h, name):
    """Entry [i, j] of the scores goes with the dot product of query i and key j."""
    dtype = getattr(torch, name)
    _expect_dot_products(student, rng(b, h, T, D, dtype=dtype), rng(b, h, T, D, dtype=dtype))


@criterion("dot_products")
def test_scores_of_three_tokens_by_hand(student):
    """The scores of three small tokens are those worked out on paper."""
    q = torch.tensor([[[[1.0, 1.0], [2.0, 0.0], [0.0, -1.0]]]], dtype=torch.float64)
    k = torch.tensor([[[[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]]], dtype=torch.float64)
    _expect_dot_products(student, q, k)


# ---------------------------------------------------------------------------------------------------------------
# scale: one number, read where no other mistake can reach it
# ---------------------------------------------------------------------------------------------------------------


def _known(d: int, **more: float) -> dict[str, float]:
    """Factors that a mistake would give."""
    root_t, root_c = math.sqrt(T), math.sqrt(H * d)
    return {"1": 1.0, "1/D": 1 / d, "√D": math.sqrt(d), "1/√T": 1 / root_t, "1/√(H·D)": 1 / root_c, **more}


def _expect_scaled_scores(student: Any, rng: Any, d: int, dtype: torch.dtype) -> None:
    """All vectors the same and of equal entries: however they are paired or read, they have the same product."""
    x = torch.full((B, H, T, d), 0.4 + 0.1 * rng.number(0, 5), dtype=dtype)
    got, longer = _scores(student, x, x.clone()).abs(), _scores(student, 2 * x, 2 * x).abs()
    grows = float(longer.sum() / got.sum().clamp_min(1e-9))
    square = torch.tensor(float((x[0, 0, 0].double() ** 2).sum()) if abs(grows - 1) > 1e-3 else 1.0)  # 1: cosines
    expect.factor(got, square.double().expand(B, H, T, T), 1 / math.sqrt(d), rtol=1e-3, known=_known(d))


@criterion("scale")
@pytest.mark.parametrize(("d", "name"), [(9, "float32"), (16, "float64")])
def test_scores_are_scaled_by_the_width(student, rng, d, name):
    """attention_scores multiplies the dot products by 1/√D."""
    _expect_scaled_scores(student, rng, d, getattr(torch, name))


def _expect_scaled_whole(student: Any, rng: Any, d: int, dv: int) -> None:
    """Reads the scale from the logarithms of the weights; q = k, so that exchanging them changes nothing."""
    x = 0.7 * rng(B, H, T, d, dtype=torch.float32)
    base = _interaction(x.double() @ x.double().mT)
    readings = [w for w in _readings(student, x, x.clone(), dv=dv).values() if bool((w > 0).all())]
    logs = next((_logs(w) for w in readings if abs(_factor(_logs(w), base)) > 1e-3), None)
    if logs is None:  # no softmax of dot products: what it does with a scale only the scores can say
        _moves(student, *_pair(rng))
        _expect_scaled_scores(student, rng, d, torch.float32)
        return
    sign = 1.0 if _factor(logs, base) > 0 else -1.0
    expect.factor(sign * logs, base, 1 / math.sqrt(d), rtol=1e-3, known=_known(d, **{"1/√Dv": 1 / math.sqrt(dv)}))


@criterion("scale")
def test_whole_function_scales_by_the_width(student, rng):
    """scaled_dot_product_attention takes its softmax of dot products times 1/√D."""
    for d in (9, 16):
        _expect_scaled_whole(student, rng, d, dv=d)


@criterion("scale")
@needs("weighted_values")
def test_scale_is_the_width_of_the_keys(student, rng):
    """The width under the root is that of queries and keys, not that of the values."""
    _expect_scaled_whole(student, rng, 16, dv=7)


# ---------------------------------------------------------------------------------------------------------------
# softmax_over_keys
# ---------------------------------------------------------------------------------------------------------------


def _expect_softmax(student: Any, scores: Tensor) -> None:
    got = _real(student.attention_weights(scores), scores.shape, WEIGHTS)
    expect.close(got, torch.softmax(scores.double(), dim=-1), atol=1e-5, rtol=1e-4, what=WEIGHTS)


@criterion("softmax_over_keys")
@pytest.mark.parametrize(
    ("lead", "name"), [((), "float64"), ((B,), "float64"), ((B, H), "float64"), ((B, H), "float32")]
)
def test_weights_are_a_softmax_over_the_keys(student, rng, lead, name):
    """attention_weights is the softmax over the last axis, for two, three and four axes."""
    _expect_softmax(student, 1.5 * rng(*lead, T, T, dtype=getattr(torch, name)))


@criterion("softmax_over_keys")
def test_whole_function_shares_one_whole_among_the_keys(student, rng):
    """Inside scaled_dot_product_attention each query shares the same total among its keys."""
    q, k = _pair(rng)
    read = _moves(student, q, k)
    if not _steady(student, q, k, read):
        _expect_softmax(student, 1.5 * rng(B, H, T, T))
        return
    sums = expect.finite(_pick(read, lambda w: _even(w, -1)), READ).sum(-1)
    mean = float(sums.mean())
    note = Text(en="the weights of a query add up to nothing", zh="每个 query 的权重加起来等于零")
    expect.that(mean > 1e-2, note)
    what = Text(en="the sum of the weights over the keys, against its mean,", zh="权重对 key 求和（与平均值相比）")
    expect.close(sums / mean, torch.ones(B, H, T), atol=1e-4, rtol=1e-4, what=what, axes=("batch", "head", "query"))


# ---------------------------------------------------------------------------------------------------------------
# softmax_stable
# ---------------------------------------------------------------------------------------------------------------


def _clear_winners(rng: Any) -> Tensor:
    """Scores ``[B, H, T, T]`` of which no two are nearer than 32, along any axis: float32 rounding decides nothing."""
    return 32.0 * torch.tensor(rng.permutation(B * H * T * T), dtype=torch.float64).reshape(B, H, T, T)


def _expect_no_overflow(student: Any, rng: Any) -> None:
    """What all scores have in common does not matter (unless it matters among small scores already)."""
    small = rng(B, H, T, T)
    base, scores = _alive_weights(student, small), _clear_winners(rng)
    far = _weights(student, scores)
    for dtype, level in ((torch.float64, 1e4), (torch.float32, -1e4)):
        w = _weights(student, (scores + level).to(dtype))
        if _apart(w, far, 1e-5) and not _apart(_weights(student, small + 1), base, 1e-4):
            expect.close(w, far, atol=1e-5, rtol=1e-4, what=WEIGHTS)


@criterion("softmax_stable")
def test_weights_do_not_depend_on_the_level_of_the_scores(student, rng):
    """Scores around +10000 or -10000 give the weights that scores around 0 give."""
    _expect_no_overflow(student, rng)


@criterion("softmax_stable")
@needs("softmax_over_keys")
def test_rows_of_very_different_size_do_not_disturb_each_other(student, rng):
    """A row of scores around 0 is as right as the row of scores around +20000 beside it."""
    levels = torch.tensor([2e4, 1e4, 0.0, 300.0, 600.0], dtype=torch.float64)[rng.permutation(T), None]
    scores = _clear_winners(rng) + levels
    expect.close(_weights(student, scores), torch.softmax(scores, dim=-1), atol=1e-5, rtol=1e-4, what=WEIGHTS)


@criterion("softmax_stable")
def test_whole_function_survives_large_scores(student, rng):
    """scaled_dot_product_attention finds the clear winner among very large (or very negative) scores."""
    want = torch.eye(T, dtype=torch.float64)[rng.permutation(T)].expand(B, H, T, T)
    for level in (0.0, -2e4):
        q, k = torch.zeros(B, H, T, D), torch.zeros(B, H, T, D)
        q[..., :T], k[..., :T] = 100 * want, 100 * torch.eye(T)
        q[..., T], k[..., T] = 100.0, level / 100  # each query meets one key at level + 1e4, all others at level
        w = _pick(_readings(student, q, k), lambda w: abs(_factor(w, want)) > 1e-3)
        c = float((w * want).sum() / want.sum())
        if not (c > 1e-2 and not _apart(w / c, want, 1e-5)) and not _in_order(student, rng):
            _moves(student, *_pair(rng))
            _expect_no_overflow(student, rng)
            return
        expect.finite(w, READ)
        note = Text(en="the key with by far the largest score gets no weight", zh="分数遥遥领先的 key 没有得到权重")
        expect.that(c > 1e-2, note)
        expect.close(w / c, want, atol=1e-5, rtol=1e-4, what=READ)


# ---------------------------------------------------------------------------------------------------------------
# mask_blocks: with equal scores, visible keys have equal shares, whatever the scale and the axis
# ---------------------------------------------------------------------------------------------------------------


def _expect_shares(w: Tensor, free: Tensor, uneven: Tensor, mask: Tensor) -> None:
    """``w`` under a mask ``_ring`` hides what it should and shares among two visible keys what a row has without.

    ``free``: the same without a mask; ``uneven``: some weights for unequal scores. Weights that were never
    normalised cannot share (that has a criterion of its own), so of those only hiding is asked.
    """
    total = float(expect.finite(free, WEIGHTS).sum(-1).mean())
    note = Text(en="without a mask no key gets any weight", zh="没有 mask 时任何 key 都没有权重")
    expect.that(total > 1e-3, note)
    still = Text(en="the weights do not follow the scores", zh="权重没有随分数变化")
    expect.that(bool(expect.finite(uneven, WEIGHTS).std() > 1e-2 * min(1.0, float(uneven.mean()))), still)
    w = expect.finite(w, UNDER_MASK) / total
    expect.below(w.masked_fill(mask, 0), 1e-6, HIDDEN)
    if _normalises(uneven):
        expect.close(w.masked_fill(~mask, 0), 0.5 * mask, atol=1e-5, rtol=1e-4, what=VISIBLE)
    else:
        expect.positive(w.masked_fill(~mask, 1), w.shape, VISIBLE)


def _shared(shares: Tensor, mask: Tensor) -> bool:
    return bool((shares[~mask].abs() < 1e-6).all() and ((shares[mask] - 0.5).abs() < 1e-5).all())


def _expect_weights_share(student: Any, rng: Any, scores: Tensor, mask: Tensor, given: Tensor) -> None:
    """Visible keys with equal scores in ``attention_weights``, under a mask that keeps two in each row and column."""
    w, uneven = _any_weights(student, scores, given), _weights(student, rng(T, T, T, T))
    free = mask / 2 if _shared(w, mask) else _weights(student, torch.zeros_like(scores))
    _expect_shares(w, free, uneven, mask)


@criterion("mask_blocks")
@pytest.mark.parametrize("name", ["bool", "int64", "float32"])
def test_equal_scores_share_among_the_visible_keys(student, rng, name):
    """Keys with mask 0 (or False) get no weight, and keys with equal scores share it all."""
    level = 0 if name == "bool" else rng.number(-3, 4)  # a score of 0 is a score like any other
    mask, scores = _ring(rng, T, T).flip(-2), torch.full((T, T, T, T), level, dtype=torch.float64)
    _expect_weights_share(student, rng, scores, mask, mask.to(getattr(torch, name)))


@criterion("mask_blocks")
def test_hidden_keys_stay_hidden_however_large_their_scores(student, rng):
    """A hidden key gets no weight, even with a score far above all visible ones."""
    mask = _ring(rng, T, T).flip(-2)
    scores = torch.where(mask, -50.0, 48.0 + 2.0 * rng.integers(0, 2, T, T, T, T)).double()
    _expect_weights_share(student, rng, scores, mask, mask)


@criterion("mask_blocks")
def test_a_mask_that_hides_nothing_changes_nothing(student, rng):
    """All keys visible: the weights without a mask. Some hidden: the visible ones keep theirs."""
    scores, mask = rng.uniform(-1, 1, T, T, T, T), _ring(rng, T, T, keep=3).flip(-2)
    free = _alive_weights(student, scores)
    what = Text(en="attention_weights with a mask that hides nothing", zh="attention_weights（mask 全部可见时）")
    expect.close(_weights(student, scores, torch.ones_like(mask)), free, atol=1e-5, rtol=1e-4, what=what)
    w = expect.finite(_real(student.attention_weights(scores, mask=mask), scores.shape, MASKED), MASKED)
    expect.below(w.masked_fill(mask, 0), 1e-6, HIDDEN)
    expect.positive(w.masked_fill(~mask, 1), w.shape, VISIBLE)


@criterion("mask_blocks")
def test_visible_keys_share_by_their_scores(student, rng):
    """The visible keys of a row share one whole by the softmax of their scores."""
    scores, mask = 1.5 * rng(B, H, T, T), rng.keep(B, H, T, T)
    want = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
    w = _any_weights(student, scores, mask)
    if _apart(w, want, 1e-4) and _apart(_alive_weights(student, scores), torch.softmax(scores, dim=-1), 1e-4):
        mask = _ring(rng, keep=4).flip(-2)  # no softmax over the keys without a mask either: only who is seen is asked
        w = expect.finite(_any_weights(student, 0.3 * scores, mask), MASKED)  # so even that none is rounded to 0
        expect.below(w.masked_fill(mask, 0), 1e-6, HIDDEN)
        expect.positive(w.masked_fill(~mask, 1), w.shape, VISIBLE)
        return
    expect.close(expect.finite(w, MASKED), want, atol=1e-5, rtol=1e-4, what=MASKED)


def _expect_whole_shares(student: Any, rng: Any, q: Tensor, k: Tensor, mask: Tensor, given: list[Tensor]) -> None:
    """Equal scores of the visible keys in the whole function, read in whichever way shows the mask at work."""
    some = _pair(rng, T, T)
    uneven, free = _readings(student, *some), _readings(student, torch.full_like(q, 0.5), torch.full_like(k, 0.5))
    for form in given:
        masked = _readings(student, q, k, form)
        places = _common(masked, free, uneven)
        place = next((p for p in places if _shared(masked[p] / free[p].sum(-1).mean(), mask)), None)
        if place is None and not _steady(student, *some, _moves(student, *some)):
            _expect_weights_share(student, rng, torch.zeros(T, T, T, T, dtype=torch.float64), mask, mask)
            return
        place = place or next(iter(masked))
        _expect_shares(masked[place], free.get(place, masked[place]), uneven.get(place, masked[place]), mask)


@criterion("mask_blocks")
def test_whole_function_hides_what_the_mask_hides(student, rng):
    """scaled_dot_product_attention gives hidden keys no weight and shares it among the visible ones."""
    mask, level = _ring(rng, T, T), torch.full((T, T, T, D), 0.4 + 0.1 * rng.number(0, 5))
    _expect_whole_shares(student, rng, level, level.clone(), mask, [mask, mask.float()])


@criterion("mask_blocks")
@needs("dot_products")
def test_whole_function_hides_large_scores_too(student, rng):
    """In scaled_dot_product_attention a hidden key stays hidden, however well it fits the query."""
    mask = _ring(rng, T, T)
    q, k = torch.eye(T, D).expand(T, T, T, D).contiguous(), torch.zeros(T, T, T, D)
    k[..., :T] = torch.where(mask, -60.0, 58.0 + 2.0 * rng.integers(0, 2, T, T, T, T)).mT  # key j with query i
    _expect_whole_shares(student, rng, q, k, mask, [mask])


# ---------------------------------------------------------------------------------------------------------------
# mask_broadcasts: a small mask does what the same mask written out does, whatever that is
# ---------------------------------------------------------------------------------------------------------------


def _seen(w: Tensor) -> Tensor:
    """NaN is not the question here: it becomes a number that can be compared."""
    return w.nan_to_num(nan=-1.0, posinf=-2.0, neginf=-3.0)


def _weights_under_masks(student: Any, rng: Any, b: int, h: int) -> Masking:
    scores = rng.uniform(-1, 1, b, h, T, T)

    return lambda mask: {"weights": _any_weights(student, scores, mask)}


def _whole_under_masks(student: Any, rng: Any, b: int, h: int) -> Masking:
    q, k = _pair(rng, b, h)

    return lambda mask: _readings(student, q, k, mask)


def _first_to_heed(ways: list[Masking], probe: Tensor) -> Masking:
    """The function meant, or the other one where the first drops its mask; the first where both do.

    Read only where the mask is seen to change something that is not noise.
    """
    for way in ways:
        free, seen = way(None), way(probe)
        moved = [p for p in _common(free, seen) if _apart(free[p], seen[p], 1e-3)]
        again = way(None) if moved else free
        steady = [p for p in moved if p in again and not _apart(free[p], again[p], 1e-5)]
        if steady:
            return _only(way, steady)
    return ways[0]


def _only(way: Masking, places: list[str]) -> Masking:
    """The same way, read in these places only; where none of them is there, as it comes."""

    def masked(mask: Tensor | None) -> Readings:
        read = way(mask)
        return {p: read[p] for p in places if p in read} or read

    return masked


def _apart(a: Tensor, b: Tensor, by: float) -> bool:
    return bool((_seen(a) - _seen(b)).abs().max() > by)


def _small(rng: Any, form: str, b: int, h: int) -> Tensor:
    """A mask whose axes of one, and whose missing axes, stand for all samples, heads or queries."""
    ring = _ring(rng, b, h, keep=3)
    small = {"T,T": ring[0, 0], "H,T,T": ring[0], "B,1,T,T": ring[:, :1], "B,1,1,T": ring[:, :1, :1]}
    return small[form].clone()


def _expect_broadcast(ways: list[Masking], small: Tensor, shape: tuple[int, ...]) -> None:
    """The function meant spreads a small mask, or the other one does where the first drops every mask."""
    full = small.expand(shape).contiguous()
    if not _spreads(ways[0], small, full):
        masked = _first_to_heed(ways, full)
        free, want, got = masked(None), masked(full), masked(small)
        moved = [p for p in _common(free, want, got) if _apart(free[p], want[p], 1e-3)]
        note = Text(en="the mask changes nothing in the weights", zh="mask 对权重没有任何影响")
        expect.that(bool(moved), note)
        still = Text(en="without a mask the weights do not follow the scores", zh="没有 mask 时，权重没有随分数变化")
        expect.that(float(expect.finite(free[moved[0]], WEIGHTS).std()) > 1e-3, still)
        what = Text(
            en=f"the weights under a mask of shape {list(small.shape)}, against the same mask written out in full,",
            zh=f"mask 形状为 {list(small.shape)} 时的权重（与展开成完整形状的同一个 mask 相比）",
        )
        expect.close(_seen(got[moved[0]]), _seen(want[moved[0]]), atol=1e-5, rtol=1e-4, what=what)


def _spreads(masked: Masking, small: Tensor, full: Tensor) -> bool:
    free, want, got = masked(None), masked(full), masked(small)
    return any(
        bool(free[p].std() > 1e-3)
        and _apart(free[p], want[p], 1e-3)
        and (not _apart(want[p], got[p], 1e-5) or _hides({p: got[p]}, ~full))
        for p in _common(free, want, got)
    )


@criterion("mask_broadcasts")
@pytest.mark.parametrize(("form", "b"), [("T,T", 5), ("H,T,T", 3), ("B,1,T,T", 2), ("B,1,1,T", 2)])
def test_masks_with_fewer_or_shorter_axes(student, rng, form, b):
    """A mask with fewer axes, or with axes of length one, is spread over the scores."""
    ways = [_weights_under_masks(student, rng, b, H), _whole_under_masks(student, rng, b, H)]
    _expect_broadcast(ways, _small(rng, form, b, H), (b, H, T, T))


@criterion("mask_broadcasts")
@pytest.mark.parametrize(("form", "b", "h"), [("B,1,T,T", 3, 3), ("B,1,1,T", 5, 3)])
def test_axes_of_equal_length_are_not_mixed_up(student, rng, form, b, h):
    """A mask finds its own axis, also where two axes of the scores have the same length."""
    ways = [_weights_under_masks(student, rng, b, h), _whole_under_masks(student, rng, b, h)]
    _expect_broadcast(ways, _small(rng, form, b, h), (b, h, T, T))


@criterion("mask_broadcasts")
@needs("scores_shape")
@pytest.mark.parametrize("form", ["T,T", "B,1,1,T"])
def test_whole_function_takes_small_masks(student, rng, form):
    """scaled_dot_product_attention spreads a small mask, too."""
    ways = [_whole_under_masks(student, rng, B, H), _weights_under_masks(student, rng, B, H)]
    _expect_broadcast(ways, _small(rng, form, B, H), (B, H, T, T))


# ---------------------------------------------------------------------------------------------------------------
# fully_masked_rows: the only checks with rows that see nothing
# ---------------------------------------------------------------------------------------------------------------


def _one_empty_row(rng: Any) -> tuple[Tensor, Tensor]:
    """A mask ``[B, H, T, T]`` that hides all keys of one query and nothing else, and which rows ``[T]`` those are."""
    empty = torch.arange(T) == rng.number(0, T)
    return ~empty[:, None].expand(B, H, T, T).contiguous(), empty


def _hides(read: Readings, hidden: Tensor) -> bool:
    """Whether weights sit on all the other keys and on none of these."""
    return any(bool((w[hidden].abs() < 1e-6).all() and (w[~hidden] > 1e-4).all()) for w in read.values())


def _staircase() -> Tensor:
    """A mask ``[B, H, T, T]`` that keeps three keys in each row and column, and others with its axes exchanged."""
    n = torch.arange(T)
    return ((n - n[:, None]) % T < 3).expand(B, H, T, T).contiguous()


def _expect_empty_row(ways: list[Masking], rng: Any) -> None:
    """Zeros where nothing is seen; elsewhere weights that are not all alike, or those of a mask that hides nothing.

    Where the function meant drops every mask, the other one is asked; whoever reads masks the other way round, or
    with rows for columns, is asked in that way: all this costs elsewhere.
    """
    mask, empty = _one_empty_row(rng)

    def good(w: Tensor) -> bool:
        rest = w[..., ~empty, :]
        return bool((w[..., empty, :].abs() < 1e-6).all() and (rest > 1e-6).all() and rest.std() > 1e-3)

    if any(good(w) for w in ways[0](mask).values()):
        return
    probe = _staircase()
    masked = _first_to_heed(ways, probe)
    read, probed = masked(mask), masked(probe)
    if _hides(probed, probe):
        mask = ~mask
    elif _hides(probed, ~probe.mT):
        mask = mask.mT.contiguous()
    else:
        probed = {}
    read = masked(mask) if probed else read
    w = _pick(read, good)
    still = Text(en="the weights do not follow the scores", zh="权重没有随分数变化")
    if not good(w) and _as_unhidden(masked, read, empty):
        w = w.masked_fill(~empty[:, None], 1)  # what a mask does to rows that see something costs elsewhere
    else:
        expect.that(float(expect.finite(w, UNDER_MASK)[..., ~empty, :].std()) > 1e-3, still)
    expect.below(expect.finite(w, UNDER_MASK).masked_fill(~empty[:, None], 0), 1e-6, EMPTY)
    expect.positive(w.masked_fill(empty[:, None], 1), w.shape, VISIBLE)


def _as_unhidden(masked: Masking, read: Readings, empty: Tensor) -> bool:
    """Whether rows that see everything are what they are, be it NaN, when no row is empty; and alive without a mask."""
    free = masked(None)
    shown = masked(torch.ones_like(next(iter(read.values())), dtype=torch.bool))
    rows = ~empty
    return any(
        bool(torch.isfinite(free[p]).all())
        and float(free[p].std()) > 1e-3
        and not _apart(read[p][..., rows, :], shown[p][..., rows, :], 1e-5)
        for p in _common(free, shown, read)
    )


@criterion("fully_masked_rows")
def test_rows_that_see_nothing_have_zero_weights(student, rng):
    """A query that may look at no key has weight 0 everywhere, never NaN; the other queries go on as ever."""
    ways = [_weights_under_masks(student, rng, B, H), _whole_under_masks(student, rng, B, H)]
    _expect_empty_row(ways, rng)


@criterion("fully_masked_rows")
@needs("mask_blocks", "softmax_over_keys")
def test_empty_rows_leave_the_other_rows_alone(student, rng):
    """Rows that see something keep their weights when another row sees nothing, in float32 too."""
    mask = rng.keep(B, H, T, T)
    empty = torch.zeros(B, H, T, dtype=torch.bool)
    empty[0, rng.number(0, H), rng.number(0, T)] = empty[1, rng.number(0, H), rng.number(0, T)] = True
    hollow = mask & ~empty[..., None]
    for dtype in (torch.float64, torch.float32):
        scores = 1.5 * rng(B, H, T, T, dtype=dtype)
        want = torch.softmax(scores.double().masked_fill(~mask, -math.inf), dim=-1).masked_fill(empty[..., None], 0)
        expect.close(_weights(student, scores, hollow), want, atol=1e-5, rtol=1e-4, what=MASKED)


@criterion("fully_masked_rows")
@needs("mask_blocks", "mask_broadcasts")
def test_a_whole_sample_may_see_nothing(student, rng):
    """With a mask [B, 1, 1, T] that hides a whole sample, all its weights are 0."""
    scores, mask = rng(B, H, T, T), torch.ones(B, 1, 1, T, dtype=torch.bool)
    blind = rng.number(0, B)
    mask[blind] = False
    w = _weights(student, scores, mask)
    expect.below(w[blind], 1e-6, EMPTY)
    expect.positive(w[1 - blind], (H, T, T), VISIBLE)


@criterion("fully_masked_rows")
@needs("gradients", "softmax_stable")
def test_gradients_of_the_weights_pass_empty_rows(student, rng):
    """A row that sees nothing is zero and puts no NaN into the gradient of the scores."""
    mask, empty = _one_empty_row(rng)
    scores = rng(B, H, T, T).requires_grad_()
    w = _weights(student, scores, mask)
    expect.below(w.detach().masked_fill(~empty[:, None], 0), 1e-6, EMPTY)
    expect.gradients(w, [scores], ["scores"])


@criterion("fully_masked_rows")
def test_whole_function_gives_zero_where_nothing_is_seen(student, rng):
    """scaled_dot_product_attention gives weights and output 0 for a query that may look at no key."""
    ways = [_whole_under_masks(student, rng, B, H), _weights_under_masks(student, rng, B, H)]
    _expect_empty_row(ways, rng)
    (q, k), v = _pair(rng), 3 + rng(B, H, T, D, dtype=torch.float32)
    mask, empty = _one_empty_row(rng)
    if _averages(student, q, k, v, _staircase()):
        _expect_zeros(_items(_whole(student, q, k, v, mask)), empty)


def _averages(student: Any, q: Tensor, k: Tensor, v: Tensor, probe: Tensor) -> bool:
    """Whether the output is the returned weights times v, and those heed a mask. If not, that costs elsewhere."""
    match _items(_whole(student, q, k, v, probe)):
        case [output, weights] if output.shape == v.shape and weights.shape == probe.shape:
            off = (output.double() - weights.double() @ v.double()).abs()
            return bool((off < 1e-3).all() and (weights[~probe].abs() < 1e-6).all())
    return False


def _expect_zeros(items: list[Tensor], empty: Tensor) -> None:
    for item, what in zip(items, (OUTPUT, RETURNED), strict=False):
        row = Text(en=f"{what.en} of a query that sees nothing", zh=f"什么都看不到的 query 的{what.zh}")
        expect.finite(expect.tensor(item, (B, H, T, item.shape[-1] if item.dim() else 0), what=what), what)
        expect.below(item.detach().masked_fill(~empty[:, None], 0), 1e-6, row)


@criterion("fully_masked_rows")
@needs("gradients", "softmax_stable")
def test_gradients_of_the_whole_function_pass_empty_rows(student, rng):
    """A query that sees nothing gets zeros and puts no NaN into the gradients of q, k and v."""
    (q, k), v, (mask, empty) = _pair(rng), rng(B, H, T, D, dtype=torch.float32), _one_empty_row(rng)
    averages = _averages(student, q, k, v, _staircase())
    leaves = [x.requires_grad_() for x in (q, k, v)]
    value = _whole(student, *leaves, mask)
    if averages:
        _expect_zeros(_items(value), empty)
    output = _output(value)
    for name, grad in zip("qkv", _gradients(output, leaves, torch.ones_like(output)), strict=True):
        if grad is not None:
            expect.finite(grad, Text(en=f"the gradient of {name}", zh=f"{name} 的梯度"))


def _output(value: object) -> Tensor:
    """The first tensor of the output's shape in an answer, else the first of any."""
    items = _items(value)
    fitting = [item for item in items if item.shape == (B, H, T, D)]
    return (fitting or items or [expect.tensor(value, (B, H, T, D), what=OUTPUT)])[0]


# ---------------------------------------------------------------------------------------------------------------
# weighted_values: what comes back from the whole function, judged by the student's own weights
# ---------------------------------------------------------------------------------------------------------------


def _expect_average(
    value: object, q: Tensor, k: Tensor, v: Tensor, dtype: torch.dtype | None = None, tolerance: float = 1e-5
) -> Tensor:
    """(output, weights) of the right form and dtype, the output being weights @ v. Returns the weights as float64."""
    output, weights = expect.pair(value, ANSWER)
    expect.tensor(output, (*q.shape[:-1], v.shape[-1]), dtype, OUTPUT)
    expect.tensor(weights, (*q.shape[:-1], k.shape[-2]), dtype, RETURNED)
    w = expect.finite(weights.double(), RETURNED)
    what = Text(en="the output, against the returned weights times v,", zh="输出（与“返回的权重乘以 v”相比）")
    axes = ("batch", "head", "query", "feature")
    expect.close(output, w @ v.double(), atol=tolerance, rtol=max(tolerance, 1e-4), what=what, axes=axes)
    return w


def _expect_moving_average(
    ask: Callable[..., object],
    inputs: tuple[Tensor, Tensor, Tensor],
    dtype: torch.dtype | None,
    tolerance: float = 1e-5,
) -> None:
    """The same, for weights that follow q and k and do not follow v."""
    q, k, v = inputs
    changed = 1 - 2 * v
    w = _expect_average(ask(q, k, v), q, k, v, dtype, tolerance)
    other = _expect_average(ask(q, k, changed), q, k, changed, dtype, tolerance)
    why = Text(en="the returned weights change when only v does", zh="只改变 v，返回的权重却变了")
    expect.same(other, w, atol=1e-5, rtol=1e-4, what=RETURNED, why=why)
    moved = _expect_average(ask(_other(q), k + 1, v), _other(q), k + 1, v, dtype, tolerance)
    expect.differs(moved, w, by=1e-2, what=RETURNED)


def _triple(rng: Any, lead: tuple[int, ...], dtype: torch.dtype, dv: int = D) -> tuple[Tensor, Tensor, Tensor]:
    return rng(*lead, T, D, dtype=dtype), rng(*lead, T, D, dtype=dtype), rng(*lead, T, dv, dtype=dtype)


@criterion("weighted_values")
def test_output_is_the_average_of_the_values(student, rng):
    """scaled_dot_product_attention returns (output, weights), and the output is the weighted sum of v."""
    _expect_moving_average(lambda *qkv: _whole(student, *qkv), _triple(rng, (B, H), torch.float32), None)


@criterion("weighted_values")
@needs("scores_shape")
@pytest.mark.parametrize(("name", "tolerance"), [("float64", 1e-5), ("bfloat16", 1e-1)])
def test_output_keeps_the_dtype(student, rng, name, tolerance):
    """Output and weights have the dtype of the inputs."""
    dtype = getattr(torch, name)
    _expect_moving_average(student.scaled_dot_product_attention, _triple(rng, (B, H), dtype), dtype, tolerance)


@criterion("weighted_values")
def test_values_may_be_wider_or_narrower(student, rng):
    """The output is as wide as the values, whatever the width of queries and keys."""
    _expect_moving_average(lambda *qkv: _whole(student, *qkv), _triple(rng, (B, H), torch.float32, 3), None)
    q, k, v = _triple(rng, (B, H), torch.float32, 11)
    _expect_average(_whole(student, q, k, v), q, k, v)


@criterion("weighted_values")
@needs("scores_shape", "softmax_over_keys")
@pytest.mark.parametrize("lead", [(), (B,)])
def test_any_number_of_leading_axes(student, rng, lead):
    """scaled_dot_product_attention works without batch and heads, and with a batch alone."""
    _expect_moving_average(student.scaled_dot_product_attention, _triple(rng, lead, torch.float32), None)


@criterion("weighted_values")
@needs("mask_blocks")
def test_returned_weights_are_the_ones_used_under_a_mask(student, rng):
    """With a mask, too, the returned weights are those the output was made with."""
    (q, k), v, mask = _pair(rng), rng(B, H, T, D, dtype=torch.float32), _ring(rng, keep=4)
    w = _expect_average(_whole(student, q, k, v, mask), q, k, v)
    expect.below(w.masked_fill(mask, 0), 1e-6, HIDDEN)
    expect.positive(w.masked_fill(~mask, 1), w.shape, VISIBLE)


@criterion("weighted_values")
@needs("dot_products", "softmax_over_keys")
def test_whole_function_is_made_of_its_steps(student, rng):
    """The returned weights are the softmax over the keys of the scaled dot products."""
    (q, k), v = _pair(rng), rng(B, H, T, D, dtype=torch.float32)
    w = expect.positive(_expect_average(_whole(student, q, k, v), q, k, v), (B, H, T, T), RETURNED)
    products = q.double() @ k.double().mT
    c = _factor(_logs(w), _interaction(products))  # at the student's own scale
    note = Text(
        en="the weights of scaled_dot_product_attention do not follow the dot products of q and k",
        zh="scaled_dot_product_attention 的权重没有随 q 与 k 的点积变化",
    )
    expect.that(c > 1e-3, note)
    rows = w / w.sum(-1, keepdim=True)
    expect.close(rows, torch.softmax(c * products, dim=-1), atol=1e-4, rtol=1e-2, what=RETURNED)


# ---------------------------------------------------------------------------------------------------------------
# cross_lengths
# ---------------------------------------------------------------------------------------------------------------


def _expect_weights_at_unequal_lengths(student: Any, rng: Any) -> None:
    """``attention_weights`` where Tq and Tk differ, read so that the axis of its softmax does not matter."""
    for tq, tk in ((3, 5), (5, 2)):
        scores = rng(B, H, tq, tk, dtype=torch.float32)
        w = expect.positive(_weights(student, scores), scores.shape, WEIGHTS)
        if not _follows(w, scores):
            square = rng(B, H, T, T, dtype=torch.float32)
            note = Text(
                en=f"with {tq} queries and {tk} keys the weights no longer follow the scores",
                zh=f"{tq} 个 query、{tk} 个 key 时，权重不再随分数变化",
            )
            expect.that(not _follows(_alive_weights(student, square), square), note)  # no softmax in a square either


@criterion("cross_lengths")
def test_scores_of_unequal_lengths(student, rng):
    """attention_scores takes more or fewer keys than queries."""
    q, k = rng(B, H, 6, D, dtype=torch.float32), rng(B, H, 6, D, dtype=torch.float32)
    products = q.double() @ k.double().mT
    if not abs(_factor(_scores(student, q, k), products)) > 1e-3:  # no dot products in a square already
        _alive_scores(student, q, k)
        _expect_weights_at_unequal_lengths(student, rng)
        return
    for tq, tk in ((3, 6), (6, 4), (1, 5)):
        want = products[..., :tq, :tk]
        got = _scores(student, q[..., :tq, :].contiguous(), k[..., :tk, :].contiguous())
        c = float((got * want).sum() / (want * want).sum())
        note = Text(
            en=f"with {tq} queries and {tk} keys the scores are no longer dot products",
            zh=f"{tq} 个 query、{tk} 个 key 时，分数不再是点积",
        )
        expect.that(abs(c) > 1e-3, note)
        expect.close(got / c, want, atol=1e-5, rtol=1e-4, what=SCORES)


@criterion("cross_lengths")
def test_weights_of_unequal_lengths(student, rng):
    """attention_weights takes scores with more or fewer keys than queries."""
    _expect_weights_at_unequal_lengths(student, rng)


@criterion("cross_lengths")
@needs("mask_blocks")
def test_masks_of_unequal_lengths(student, rng):
    """A mask hides keys where the two lengths differ."""
    for tq, tk in ((3, 5), (4, 2)):
        scores = rng(B, H, tq, tk, dtype=torch.float32)
        sample, head, query = (torch.arange(n).reshape(n, *[1] * i) for i, n in ((3, B), (2, H), (1, tq)))
        mask = (sample + head + query) % tk != torch.arange(tk)  # one is hidden, another in the next sample or head
        w = _weights(student, scores, mask)
        expect.below(w.masked_fill(mask, 0), 1e-6, HIDDEN)
        expect.positive(w.masked_fill(~mask, 1), w.shape, VISIBLE)


@criterion("cross_lengths")
def test_whole_function_of_unequal_lengths(student, rng):
    """scaled_dot_product_attention takes more or fewer keys than queries."""
    if not _in_order(student, rng):
        _moves(student, *_pair(rng))
        _expect_weights_at_unequal_lengths(student, rng)
        return
    for tq, tk in ((3, 5), (6, 4)):
        q, k = 0.7 * rng(B, H, tq, D, dtype=torch.float32), 0.7 * rng(B, H, tk, D, dtype=torch.float32)
        readings = _readings(student, q, k)
        note = Text(
            en=f"with {tq} queries and {tk} keys scaled_dot_product_attention no longer follows q and k",
            zh=f"{tq} 个 query、{tk} 个 key 时，scaled_dot_product_attention 不再随 q 与 k 变化",
        )
        expect.that(any(_follows(w, q @ k.mT) for w in readings.values()), note)


# ---------------------------------------------------------------------------------------------------------------
# gradients
# ---------------------------------------------------------------------------------------------------------------


def _gradients(out: Tensor, leaves: list[Tensor], spread: Tensor) -> list[Tensor | None]:
    note = Text(
        en="the result is cut off from its inputs: no gradient can flow back (detach, .data, NumPy, a new tensor?)",
        zh="结果与输入断开了：梯度传不回去（是否用了 detach、.data、NumPy 或新建的张量？）",
    )
    expect.that(out.requires_grad, note)
    return list(torch.autograd.grad((out * spread).sum(), leaves, allow_unused=True, retain_graph=True))


def _slope(
    call: Callable[..., Tensor], inputs: list[Tensor], ways: list[Tensor], out: Tensor, spread: Tensor
) -> tuple[float, float]:
    """How fast the spread result moves along ``ways``, from two calls nearby; and the largest move of an entry."""
    up, down = (call(*[x + e * way for x, way in zip(inputs, ways, strict=True)]) for e in (5e-3, -5e-3))
    for end in (up, down):
        expect.finite(expect.tensor(end, out.shape))
    step = up.double() - down.double()
    return float((step * spread.double()).sum() / 1e-2), float(step.abs().max())


def _near_slope(grads: list[Tensor], ways: list[Tensor], slope: float) -> bool:
    found = sum(float((g.double() * way.double()).sum()) for g, way in zip(grads, ways, strict=True))
    room = sum(float(g.double().norm() * way.double().norm()) for g, way in zip(grads, ways, strict=True))
    return math.isfinite(found) and abs(found - slope) <= 2e-2 + 1e-2 * room + 2e-2 * abs(slope)


def _expect_slopes(
    call: Callable[..., Tensor],
    inputs: list[Tensor],
    names: list[str],
    rng: Any,
    excused: Callable[[], bool] = lambda: False,
) -> None:
    """The gradient of each input is the slope of the student's own function along a step into any direction.

    An input that the function pays no heed to (that has its own criterion) needs no gradient; but one of the first
    two counts. Where ``excused``, asked only when something is amiss, a gradient that is there and finite is enough.
    """
    leaves = [x.clone().requires_grad_() for x in inputs]
    out = call(*leaves)
    spread = rng(*out.shape, dtype=out.dtype)
    grads = _gradients(out, leaves, spread)
    ways = [rng(*x.shape, dtype=x.dtype) for x in inputs]
    there = [g for g in grads if g is not None and bool((g != 0).any())]
    if len(there) == len(inputs) and _near_slope(there, ways, _slope(call, inputs, ways, out, spread)[0]):
        return
    heeds = []
    for i, name in enumerate(names):
        alone = [way if j == i else torch.zeros_like(way) for j, way in enumerate(ways)]
        slope, largest = _slope(call, inputs, alone, out, spread)
        heeds.append(largest > 1e-5)
        grad = grads[i]
        if grad is None:
            expect.that(not heeds[i], Text(en=f"no gradient reaches {name}", zh=f"梯度传不到 {name}"))
            continue
        expect.finite(grad, Text(en=f"the gradient of {name}", zh=f"{name} 的梯度"))
        wrong = Text(
            en=f"the gradient of {name} is not how the result changes with {name}: part of the way back is cut",
            zh=f"{name} 的梯度与结果随 {name} 的变化不符：回传的路有一部分断了",
        )
        expect.that(_near_slope([grad], [ways[i]], slope) or excused(), wrong)
    still = Text(en=f"the result does not change with {names[0]}", zh=f"结果没有随 {names[0]} 变化")
    expect.that(any(heeds[:2]), still)


@criterion("gradients")
def test_gradients_reach_queries_and_keys(student, rng):
    """A loss on the scores reaches q and k."""
    q, k = rng(B, H, T, D), rng(B, H, T, D)
    _alive_scores(student, q, k)
    _expect_slopes(lambda q, k: _scores(student, q, k), [q, k], ["q", "k"], rng)


def _expect_slopes_of_weights(student: Any, rng: Any, mask: Tensor | None) -> None:
    scores = rng(B, H, T, T)
    base = _alive_weights(student, scores) if mask is None else None

    def unnormalised() -> bool:  # only where weights add up to one may a maximum be left out of the graph
        return not _normalises(_weights(student, scores) if base is None else base)

    _expect_slopes(lambda s: _any_weights(student, s, mask), [scores], ["scores"], rng, unnormalised)


@criterion("gradients")
def test_gradients_reach_the_scores(student, rng):
    """A loss on the weights reaches the scores."""
    _expect_slopes_of_weights(student, rng, None)


@criterion("gradients")
@needs("mask_blocks")
def test_gradients_reach_the_scores_under_a_mask(student, rng):
    """With a mask, a loss on the weights reaches the scores."""
    _expect_slopes_of_weights(student, rng, _ring(rng, keep=4))


def _expect_slopes_of_whole(student: Any, rng: Any, mask: Tensor | None) -> None:
    (q, k), v = _pair(rng), rng(B, H, T, D, dtype=torch.float32)
    read = _moves(student, q, k)

    def unnormalised() -> bool:
        return not any(_normalises(w) for w in read.values())

    if not _steady(student, q, k, read):
        _expect_slopes_of_weights(student, rng, None)
        return
    names = ["q", "k", "v"]
    _expect_slopes(lambda q, k, v: _output(_whole(student, q, k, v, mask)), [q, k, v], names, rng, unnormalised)


@criterion("gradients")
def test_gradients_reach_queries_keys_and_values(student, rng):
    """A loss on the output reaches q, k and v."""
    _expect_slopes_of_whole(student, rng, None)


@criterion("gradients")
@needs("mask_blocks")
def test_gradients_reach_queries_keys_and_values_under_a_mask(student, rng):
    """With a mask, a loss on the output reaches q, k and v."""
    _expect_slopes_of_whole(student, rng, _ring(rng, keep=4))


# ---------------------------------------------------------------------------------------------------------------
# inputs_untouched
# ---------------------------------------------------------------------------------------------------------------


def _expect_untouched(student: Any, name: str, *given: Tensor, what: list[str]) -> None:
    """Watched with four axes, or with three or two or in float64 where the code runs only there."""
    pages = [given, tuple(x.flatten(0, 1) for x in given), tuple(x[0, 0] for x in given)]
    pages.append(tuple(x.double() if x.dtype == torch.float32 else x for x in given))
    for page in pages:
        try:
            call = student.watch(name, *page)
        except StudentRaised:
            if page is pages[-1]:
                raise
            continue
        expect.unchanged(call, *page, what=what)
        return


@criterion("inputs_untouched")
def test_scores_leave_their_inputs_alone(student, rng):
    """attention_scores does not change q or k."""
    q, k = rng(B, H, T, D), rng(B, H, T, D)
    _alive_scores(student, q, k)
    _expect_untouched(student, "attention_scores", q, k, what=["q", "k"])


@criterion("inputs_untouched")
def test_weights_leave_their_inputs_alone(student, rng):
    """attention_weights does not change the scores it was given."""
    scores = rng(B, H, T, T)
    _alive_weights(student, scores)
    _expect_untouched(student, "attention_weights", scores, what=["scores"])


@criterion("inputs_untouched")
def test_masked_weights_leave_their_inputs_alone(student, rng):
    """With a mask, attention_weights changes neither the scores nor the mask."""
    scores, mask = rng(B, H, T, T), _ring(rng)
    _alive_weights(student, scores)
    _expect_untouched(student, "attention_weights", scores, mask, what=["scores", "mask"])
    try:
        _expect_untouched(student, "attention_weights", scores, mask.double(), what=["scores", "mask"])
    except StudentRaised:
        return  # takes no such mask at all; that has a criterion of its own


@criterion("inputs_untouched")
def test_whole_function_leaves_its_inputs_alone(student, rng):
    """scaled_dot_product_attention does not change q, k or v."""
    (q, k), v = _pair(rng), rng(B, H, T, D, dtype=torch.float32)
    if not _steady(student, q, k, _moves(student, q, k)):
        _alive_weights(student, rng(B, H, T, T))
    _expect_untouched(student, "scaled_dot_product_attention", q, k, v, what=["q", "k", "v"])


@criterion("inputs_untouched")
def test_whole_function_leaves_its_mask_alone(student, rng):
    """With a mask, scaled_dot_product_attention changes neither q, k, v nor the mask."""
    (q, k), v = _pair(rng), rng(B, H, T, D, dtype=torch.float32)
    if not _steady(student, q, k, _moves(student, q, k)):
        _alive_weights(student, rng(B, H, T, T))
    _expect_untouched(student, "scaled_dot_product_attention", q, k, v, _ring(rng), what=["q", "k", "v", "mask"])
