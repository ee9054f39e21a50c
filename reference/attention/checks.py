"""Hidden checks of ``attention``.

Each check asks one question and keeps everything else out of it:

- the three functions are asked one by one, on inputs made here;
- scores are compared up to one factor, so that only ``scale`` sees the scale;
- weights are compared through ``_interaction``, which no softmax over any axis can disturb, and under masks that
  leave every row, column and head the same number of keys (``_ring``), so that only ``softmax_over_keys`` sees the axis;
- the whole function is read through V = identity or through the weights it returns, whichever way its answer can be
  read (``_readings``), so that only ``weighted_values`` sees the form of the answer;
- where the whole function drops its mask or pairs the wrong rows (which costs elsewhere), the question goes to the
  helper instead, so that it is answered all the same;
- float32 where dtypes are not the question: a result in the wrong dtype then stops nothing else.

Shapes: B 2, H 3, T 5, D = Dv 8, all different, unless unequal sizes are the question.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.checks import Text, criterion, expect, needs

B, H, T, D = 2, 3, 5, 8

SCORES = Text(en="attention_scores(q, k)", zh="attention_scores(q, k)")
WEIGHTS = Text(en="attention_weights(scores)", zh="attention_weights(scores)")
MASKED = Text(en="attention_weights(scores, mask)", zh="attention_weights(scores, mask)")
OUTPUT = Text(en="the output", zh="输出")
RETURNED = Text(en="the returned weights", zh="返回的权重")
READ = Text(en="the weights scaled_dot_product_attention works with", zh="scaled_dot_product_attention 实际使用的权重")
HIDDEN = Text(en="the weight of a hidden key", zh="被遮住的 key 的权重")
VISIBLE = Text(en="the weight of a visible key", zh="可见 key 的权重")
EMPTY = Text(en="the weights of a row with no visible key", zh="没有可见 key 的那一行的权重")

# ---------------------------------------------------------------------------------------------------------------
# Reading what the student's functions give
# ---------------------------------------------------------------------------------------------------------------


def _real(x: object, what: Text) -> Tensor:
    """A floating-point tensor, as float64 and still part of the graph."""
    t = expect.tensor(x, what=what)
    note = Text(en=f"{what.en} should hold floating-point numbers", zh=f"{what.zh}里应当是浮点数")
    expect.that(t.is_floating_point(), note)
    return t.double()


def _scores(student: Any, q: Tensor, k: Tensor) -> Tensor:
    """``attention_scores`` as finite float64 ``[..., Tq, Tk]``."""
    got = expect.tensor(student.attention_scores(q, k), (*q.shape[:-1], k.shape[-2]), what=SCORES)
    return expect.finite(_real(got, SCORES), SCORES)


def _any_weights(student: Any, scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """``attention_weights`` as float64 of the shape of the scores; NaN is left to the caller."""
    value = student.attention_weights(scores) if mask is None else student.attention_weights(scores, mask)
    what = WEIGHTS if mask is None else MASKED
    return _real(expect.tensor(value, scores.shape, what=what), what)


def _weights(student: Any, scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """``attention_weights`` as finite float64 of the shape of the scores."""
    return expect.finite(_any_weights(student, scores, mask), WEIGHTS if mask is None else MASKED)


def _items(value: object) -> list[Tensor]:
    """The floating-point tensors of an answer, in whatever form it came."""
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, tuple | list) else [value]
    return [item for item in items if isinstance(item, Tensor) and item.is_floating_point()]


def _whole(student: Any, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> object:
    """``scaled_dot_product_attention``, the mask handed over only where there is one."""
    if mask is None:
        return student.scaled_dot_product_attention(q, k, v)
    return student.scaled_dot_product_attention(q, k, v, mask)


def _identity(k: Tensor, dv: int) -> Tensor:
    """Values ``[..., Tk, dv]`` that spell out the weights: the identity, with zero columns behind it."""
    return torch.eye(k.shape[-2], dv, dtype=k.dtype).expand(*k.shape[:-1], dv).contiguous()


def _readings(student: Any, q: Tensor, k: Tensor, mask: Tensor | None = None, dv: int = D) -> list[Tensor]:
    """The weights ``[..., Tq, Tk]`` of the whole function in float64: read from its output, then as returned.

    The output is left out where it is no average of the values; at least one reading is there, or the check fails.
    """
    tq, tk = q.shape[-2], k.shape[-2]
    items = _items(_whole(student, q, k, _identity(k, dv), mask))
    outputs = [item.double() for item in items if item.shape == (*q.shape[:-1], dv)]
    read = [item[..., :tk] for item in outputs if not bool((item[..., tk:].abs() > 1e-4).any())]
    read += [item.double() for item in items if item.shape == (*q.shape[:-1], tk)]
    note = Text(
        en=f"scaled_dot_product_attention returned neither an output of shape {[*q.shape[:-1], dv]} that averages the "
        f"values nor weights of shape {[*q.shape[:-2], tq, tk]}",
        zh=f"scaled_dot_product_attention 既没有返回形状为 {[*q.shape[:-1], dv]}、由 values 平均得到的输出，"
        f"也没有返回形状为 {[*q.shape[:-2], tq, tk]} 的权重",
    )
    expect.that(bool(read), note)
    return read


def _pick(readings: list[Tensor], good: Callable[[Tensor], bool]) -> Tensor:
    """The first reading that shows what is asked, else the first: the form of the answer is not the question."""
    return next((reading for reading in readings if good(reading)), readings[0])


# ---------------------------------------------------------------------------------------------------------------
# What stays when normalisers, factors and mask polarity are taken away
# ---------------------------------------------------------------------------------------------------------------


def _interaction(x: Tensor) -> Tensor:
    """Differences along every axis: whatever a softmax over any of them divided by is gone."""
    for axis in range(x.dim()):
        x = x.diff(dim=axis)
    return x


def _logs(w: Tensor) -> Tensor:
    return _interaction(w.clamp_min(1e-300).log())


def _factor(got: Tensor, base: Tensor) -> float:
    """The factor c of ``got = c * base`` where there is one within a hundredth, else NaN."""
    c = float((got * base).sum() / (base * base).sum())
    rest = float((got - c * base).abs().max() / base.abs().max())
    return c if rest <= 1e-2 * abs(c) else math.nan


def _pairs_rightly(w: Tensor, q: Tensor, k: Tensor) -> bool:
    """Whether weights ``w`` follow q kᵀ, at any positive scale and after a softmax over any axis."""
    return bool((w > 0).all()) and _factor(_logs(w), _interaction(q.double() @ k.double().mT)) > 1e-3


def _ring(b: int = B, heads: int = T, keep: int = 2) -> Tensor:
    """A mask ``[b, heads, 5, 5]`` with ``keep`` keys in each row, each column and across the heads; symmetric."""
    n = torch.arange(T)
    offsets = torch.arange(b)[:, None, None, None] + torch.arange(heads)[:, None, None]
    return (offsets + n[:, None] + n) % T < keep


def _level(rng: Any, n: int, heads: int = H, dtype: torch.dtype = torch.float32) -> Tensor:
    """Vectors ``[B, heads, T, n]`` that are all one number: every pairing of them gives the same product."""
    return rng.uniform(0.5, 1.5, B, heads, 1, 1).expand(B, heads, T, n).contiguous().to(dtype)


def _reads_mask_inverted(w: Tensor, mask: Tensor) -> bool:
    """Whether the weights sit on exactly the hidden keys."""
    return bool((w[mask].abs() < 1e-6).all()) and bool((w[~mask] > 1e-3).all())


def _signs(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Scores without any symmetry, between -1 and 1, the same on every run."""
    n = torch.arange(math.prod(shape), dtype=torch.float64)
    return torch.sin(1.7 * n + 0.3 * n * n).reshape(shape).to(dtype)


# ---------------------------------------------------------------------------------------------------------------
# Alive: what zeros, constants, noise and inputs handed back do not do
# ---------------------------------------------------------------------------------------------------------------


def _alive_scores(student: Any, q: Tensor, k: Tensor) -> Tensor:
    """Scores that are the same twice and move when q and k do."""
    once = _scores(student, q, k)
    again = Text(en="attention_scores gives another answer to the same question", zh="同样的输入，attention_scores 两次结果不同")
    expect.same(_scores(student, q, k), once, atol=1e-5, rtol=1e-4, what=SCORES, why=again)
    expect.differs(_scores(student, q + 1, k - 1), once, by=1e-2, what=SCORES)
    return once


def _alive_weights(student: Any, scores: Tensor) -> Tensor:
    """Weights that move with the scores, and do not when all scores rise by one."""
    once = _weights(student, scores)
    shifted = Text(
        en="attention_weights changes when every score rises by the same number; a softmax does not",
        zh="所有分数加上同一个数，attention_weights 的结果却变了；softmax 不会变",
    )
    expect.same(_weights(student, scores + 1), once, atol=1e-5, rtol=1e-4, what=WEIGHTS, why=shifted)
    expect.differs(_weights(student, -scores), once, by=1e-2, what=WEIGHTS)
    return once


def _alive_whole(student: Any, q: Tensor, k: Tensor) -> list[Tensor]:
    """Readings of which one is the same twice and moves when q does."""
    once, again, moved = (_readings(student, x, k) for x in (q, q, -q))

    def good(i: int) -> bool:
        return (
            i < len(again)
            and i < len(moved)
            and bool(torch.isfinite(once[i]).all())
            and bool(((once[i] - again[i]).abs() < 1e-5).all())
            and bool(((once[i] - moved[i]).abs() > 1e-2).any())
        )

    note = Text(
        en="the weights inside scaled_dot_product_attention do not follow its inputs",
        zh="scaled_dot_product_attention 里的权重没有随输入变化",
    )
    expect.that(any(good(i) for i in range(len(once))), note)
    return once


# ---------------------------------------------------------------------------------------------------------------
# scores_shape
# ---------------------------------------------------------------------------------------------------------------


@criterion("scores_shape")
@pytest.mark.parametrize(
    "lead, name", [((), "float64"), ((B,), "float64"), ((B, H), "float64"), ((B, H), "float32"), ((B, H), "bfloat16")]
)
def test_scores_have_one_entry_for_each_query_and_key(student, rng, lead, name):
    """attention_scores gives a tensor of shape [..., Tq, Tk] in the dtype of q and k."""
    dtype = getattr(torch, name)
    q, k = rng(*lead, T, D, dtype=dtype), rng(*lead, T, D, dtype=dtype)
    expect.tensor(student.attention_scores(q, k), (*lead, T, T), dtype, SCORES)
    _alive_scores(student, q, k)


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
@pytest.mark.parametrize("b, h, name", [(2, 3, "float64"), (3, 5, "float32")])
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
    return {"1": 1.0, "1/D": 1 / d, "√D": math.sqrt(d), "1/√T": 1 / math.sqrt(T), "1/√(H·D)": 1 / math.sqrt(H * d), **more}


@criterion("scale")
@pytest.mark.parametrize("d, name", [(9, "float32"), (16, "float64")])
def test_scores_are_scaled_by_the_width(student, rng, d, name):
    """attention_scores multiplies the dot products by 1/√D."""
    dtype = getattr(torch, name)
    q, k = _level(rng, d, dtype=dtype), _level(rng, d, dtype=dtype)  # every pairing of rows has the same product
    products = (q.double() * k.double()).sum(-1, keepdim=True).expand(B, H, T, T)
    expect.factor(_scores(student, q, k).abs(), products, 1 / math.sqrt(d), rtol=1e-3, known=_known(d))


def _expect_scaled(student: Any, x: Tensor, dv: int) -> None:
    """Reads the scale from the logarithms of the weights; q = k, so that exchanging them changes nothing."""
    d = x.shape[-1]
    bases = [_interaction(x.double() @ y) for y in (x.double().mT, x.double().reshape(*x.shape[:-2], d, T))]

    def fits(w: Tensor) -> bool:
        return bool((w > 0).all()) and any(abs(_factor(_logs(w), base)) > 1e-3 for base in bases)

    w = expect.positive(_pick(_readings(student, x, x.clone(), dv=dv), fits), (B, H, T, T), READ)
    logs = _logs(w)
    base = next((base for base in bases if abs(_factor(logs, base)) > 1e-3), bases[0])
    sign = -1.0 if _factor(logs, base) < 0 else 1.0
    expect.factor(sign * logs, base, 1 / math.sqrt(d), rtol=1e-3, known=_known(d, **{"1/√Dv": 1 / math.sqrt(dv)}))


@criterion("scale")
def test_whole_function_scales_by_the_width(student, rng):
    """scaled_dot_product_attention takes its softmax of dot products times 1/√D."""
    for d in (9, 16):
        _expect_scaled(student, 0.7 * rng(B, H, T, d, dtype=torch.float32), d)


@criterion("scale")
@needs("weighted_values")
def test_scale_is_the_width_of_the_keys(student, rng):
    """The width under the root is that of queries and keys, not that of the values."""
    _expect_scaled(student, 0.7 * rng(B, H, T, 16, dtype=torch.float32), 7)


# ---------------------------------------------------------------------------------------------------------------
# softmax_over_keys
# ---------------------------------------------------------------------------------------------------------------


@criterion("softmax_over_keys")
@pytest.mark.parametrize("lead, name", [((), "float64"), ((B,), "float64"), ((B, H), "float64"), ((B, H), "float32")])
def test_weights_are_a_softmax_over_the_keys(student, rng, lead, name):
    """attention_weights is the softmax over the last axis, for two, three and four axes."""
    scores = 1.5 * rng(*lead, T, T, dtype=getattr(torch, name))
    want = torch.softmax(scores.double(), dim=-1)
    expect.close(_weights(student, scores), want, atol=1e-5, rtol=1e-4, what=WEIGHTS)


@criterion("softmax_over_keys")
def test_whole_function_shares_one_whole_among_the_keys(student, rng):
    """Inside scaled_dot_product_attention each query shares the same total among its keys."""
    q, k = rng(B, H, T, D, dtype=torch.float32), rng(B, H, T, D, dtype=torch.float32)

    def even(w: Tensor) -> bool:
        sums = w.sum(-1)
        return bool(((sums / sums.mean() - 1).abs() < 1e-4).all())

    sums = expect.finite(_pick(_alive_whole(student, q, k), even), READ).sum(-1)
    mean = float(sums.mean())
    note = Text(en="the weights of a query do not add up to anything", zh="每个 query 的权重加起来没有总量")
    expect.that(mean > 1e-2, note)
    what = Text(en="the sum of the weights over the keys, against its mean,", zh="权重对 key 求和（与平均值相比）")
    expect.close(sums / mean, torch.ones(B, H, T), atol=1e-5, rtol=1e-4, what=what, axes=("batch", "head", "query"))


# ---------------------------------------------------------------------------------------------------------------
# softmax_stable
# ---------------------------------------------------------------------------------------------------------------


def _clear_winners(rng: Any) -> Tensor:
    """Scores ``[B, H, T, T]`` of which no two are nearer than 32, along any axis: float32 rounding decides nothing."""
    return 32.0 * torch.tensor(rng.permutation(B * H * T * T), dtype=torch.float64).reshape(B, H, T, T) - 2000


@criterion("softmax_stable")
def test_weights_do_not_depend_on_the_level_of_the_scores(student, rng):
    """Scores around +10000 or -10000 give the weights that scores around 0 give."""
    _alive_weights(student, rng(B, H, T, T))
    scores = _clear_winners(rng)
    base = _weights(student, scores)
    for dtype in (torch.float64, torch.float32):
        for level in (1e4, -1e4):
            w = _weights(student, (scores + level).to(dtype))
            expect.close(w, base, atol=1e-5, rtol=1e-4, what=WEIGHTS)


@criterion("softmax_stable")
@needs("softmax_over_keys")
def test_rows_of_very_different_size_do_not_disturb_each_other(student, rng):
    """A row of scores around -10000 is as right as the row of scores around +10000 beside it."""
    levels = torch.tensor([1e4, -1e4, 0.0, -300.0, 300.0], dtype=torch.float64)[:, None]
    scores = _clear_winners(rng) + levels
    expect.close(_weights(student, scores), torch.softmax(scores, dim=-1), atol=1e-5, rtol=1e-4, what=WEIGHTS)


@criterion("softmax_stable")
def test_whole_function_survives_large_scores(student):
    """scaled_dot_product_attention finds the clear winner among very large (or very negative) scores."""
    for level in (0.0, -2e4):
        _expect_clear_winners(student, level)


def _expect_clear_winners(student: Any, level: float) -> None:
    """Query i meets key T-1-i at ``level + 1e4`` and every other key at ``level`` (both over √D)."""
    q, k = torch.zeros(B, H, T, D), torch.zeros(B, H, T, D)
    q[..., :T] = 100 * torch.eye(T)
    k[..., :T] = 100 * torch.eye(T).flip(-1)  # symmetric: exchanging q and k changes nothing
    q[..., T], k[..., T] = 100.0, level / 100
    want = torch.eye(T, dtype=torch.float64).flip(-1).expand(B, H, T, T)
    w = expect.finite(_pick(_readings(student, q, k), lambda w: abs(_factor(w, want)) > 1e-3), READ)
    c = float((w * want).sum() / want.sum())
    expect.that(c > 1e-2, Text(en="the key with by far the largest score gets no weight", zh="分数遥遥领先的 key 没有得到权重"))
    expect.close(w / c, want, atol=1e-5, rtol=1e-4, what=READ)


# ---------------------------------------------------------------------------------------------------------------
# mask_blocks
# ---------------------------------------------------------------------------------------------------------------


def _expect_shared(w: Tensor, mask: Tensor, share: float) -> None:
    """Hidden keys get nothing, and each visible key its share."""
    expect.finite(w, MASKED)
    expect.below(w.masked_fill(mask, 0), 1e-6, HIDDEN)
    expect.close(w.masked_fill(~mask, 0), share * mask, atol=1e-5, rtol=1e-4, what=VISIBLE)


@criterion("mask_blocks")
@pytest.mark.parametrize("name", ["bool", "int64", "float32"])
def test_equal_scores_share_among_the_visible_keys(student, name):
    """Keys with mask 0 (or False) get no weight, and keys with equal scores share it all."""
    mask = _ring()
    scores = torch.zeros(B, T, T, T, dtype=torch.float64)
    _expect_shared(_weights(student, scores, mask.to(getattr(torch, name))), mask, 1 / 2)


@criterion("mask_blocks")
def test_hidden_keys_stay_hidden_however_large_their_scores(student):
    """A hidden key gets no weight, even with a score far above all visible ones."""
    mask = _ring()
    scores = torch.where(mask, -50.0, torch.where(_ring(keep=3), 50.0, 48.0)).double()
    _expect_shared(_weights(student, scores, mask), mask, 1 / 2)


@criterion("mask_blocks")
def test_a_mask_that_hides_nothing_changes_nothing(student):
    """All keys visible: the weights without a mask. Some hidden: the visible ones keep theirs."""
    scores, mask = _signs(B, T, T, T), _ring(keep=3)
    free = _alive_weights(student, scores)
    open_mask = Text(en="attention_weights with a mask that hides nothing", zh="attention_weights（mask 全部可见时）")
    expect.close(_weights(student, scores, torch.ones_like(mask)), free, atol=1e-5, rtol=1e-4, what=open_mask)
    w = student.attention_weights(scores, mask=mask)
    w = expect.finite(_real(expect.tensor(w, scores.shape, what=MASKED), MASKED), MASKED)
    expect.below(w.masked_fill(mask, 0), 1e-6, HIDDEN)
    expect.positive(w.masked_fill(~mask, 1), w.shape, VISIBLE)


@criterion("mask_blocks")
@needs("softmax_over_keys")
def test_visible_keys_share_by_their_scores(student, rng):
    """The visible keys of a row share one whole by the softmax of their scores."""
    scores, mask = 1.5 * rng(B, H, T, T), rng.keep(B, H, T, T)
    want = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
    expect.close(_weights(student, scores, mask), want, atol=1e-5, rtol=1e-4, what=MASKED)


@criterion("mask_blocks")
def test_whole_function_hides_what_the_mask_hides(student, rng):
    """scaled_dot_product_attention gives hidden keys no weight and shares it among the visible ones."""
    mask = _ring()
    q, k = _level(rng, D, heads=T), _level(rng, D, heads=T)
    for given in (mask, mask.float()):
        _expect_shares_of_total(student, q, k, mask, given)


@criterion("mask_blocks")
@needs("dot_products")
def test_whole_function_hides_large_scores_too(student, rng):
    """In scaled_dot_product_attention a hidden key stays hidden, however well it fits the query."""
    mask = _ring()
    q = torch.eye(T, D).expand(B, T, T, D).contiguous()
    k = torch.zeros(B, T, T, D)
    k[..., :T] = torch.where(mask, -40.0, torch.where(_ring(keep=3), 40.0, 38.0))  # symmetric: query i with key j
    _expect_shares_of_total(student, q, k, mask, mask)


def _expect_shares_of_total(student: Any, q: Tensor, k: Tensor, mask: Tensor, given: Tensor) -> None:
    """Visible keys share what a row has in all without a mask (one, unless something else is wrong)."""
    free = _readings(student, torch.ones_like(q), torch.ones_like(k))
    total = float(expect.finite(free[0], READ).sum(-1).mean())
    expect.that(total > 1e-2, Text(en="without a mask no key gets any weight", zh="没有 mask 时任何 key 都没有权重"))

    def good(w: Tensor) -> bool:
        return bool((w[~mask].abs() < 1e-6).all()) and bool(((w[mask] / total - 0.5).abs() < 1e-4).all())

    _expect_shared(_pick(_readings(student, q, k, given), good) / total, mask, 1 / 2)


# ---------------------------------------------------------------------------------------------------------------
# mask_broadcasts: a small mask does what the same mask written out does, whatever that is
# ---------------------------------------------------------------------------------------------------------------


def _small(form: str, b: int, h: int) -> Tensor:
    """A mask whose axes of one stand for all batches, heads or queries; it hides something in each sample."""
    ring = _ring(b, h, keep=3)
    return {
        "T,T": ring[0, 0],
        "H,T,T": ring[0],
        "B,1,T,T": ring[:, :1],
        "B,1,1,T": ring[:, :1, :1],
    }[form].clone()


def _seen(w: Tensor) -> Tensor:
    """NaN is not the question here: it becomes a number that can be compared."""
    return w.nan_to_num(nan=-1.0, posinf=-2.0, neginf=-3.0)


def _expect_broadcast(ask: Callable[[Tensor | None], Tensor], small: Tensor, shape: tuple[int, ...]) -> None:
    free, full = ask(None), _seen(ask(small.expand(shape).contiguous()))
    note = Text(en="the mask changes nothing in the weights", zh="mask 对权重没有任何影响")
    expect.differs(full, free, by=1e-3, what=MASKED, why=note)
    what = Text(
        en=f"the weights under a mask of shape {list(small.shape)}, against the same mask written out in full,",
        zh=f"mask 形状为 {list(small.shape)} 时的权重（与展开成完整形状的同一个 mask 相比）",
    )
    expect.close(_seen(ask(small)), full, atol=1e-5, rtol=1e-4, what=what)


@criterion("mask_broadcasts")
@pytest.mark.parametrize("form", ["T,T", "H,T,T", "B,1,T,T", "B,1,1,T"])
def test_masks_with_fewer_or_shorter_axes(student, form):
    """A mask with fewer axes, or with axes of length one, is spread over the scores."""
    scores = _signs(B, H, T, T)
    _expect_broadcast(lambda mask: _any_weights(student, scores, mask), _small(form, B, H), (B, H, T, T))


@criterion("mask_broadcasts")
@pytest.mark.parametrize("form, b, h", [("B,1,T,T", 3, 3), ("B,1,1,T", 5, 3)])
def test_axes_of_equal_length_are_not_mixed_up(student, form, b, h):
    """A mask finds its own axis, also where two axes of the scores have the same length."""
    scores = _signs(b, h, T, T)
    _expect_broadcast(lambda mask: _any_weights(student, scores, mask), _small(form, b, h), (b, h, T, T))


@criterion("mask_broadcasts")
@pytest.mark.parametrize("form", ["T,T", "B,1,1,T"])
def test_whole_function_takes_small_masks(student, form):
    """scaled_dot_product_attention spreads a small mask, too."""
    q, k = (0.5 + _signs(B, H, T, 2 * D, dtype=torch.float32)).split(D, dim=-1)
    q, k = 2 * q.contiguous(), k.contiguous()
    ask = _under_masks(student, q, k, _ring(B, H, keep=3))
    _expect_broadcast(ask, _small(form, B, H), (B, H, T, T))


def _under_masks(student: Any, q: Tensor, k: Tensor, probe: Tensor) -> Callable[[Tensor | None], Tensor]:
    """How the whole function weighs under a mask; where it drops its mask, how ``attention_weights`` does."""
    free, masked = _readings(student, q, k), _readings(student, q, k, probe)
    for i in range(min(len(free), len(masked))):
        if bool((_seen(free[i]) - _seen(masked[i])).abs().max() > 1e-3):
            return lambda mask: _nth(_readings(student, q, k, mask), i)
    _alive_whole(student, q, k)
    scores = _signs(*q.shape[:-1], k.shape[-2], dtype=q.dtype)
    return lambda mask: _any_weights(student, scores, mask)


def _nth(readings: list[Tensor], i: int) -> Tensor:
    return readings[min(i, len(readings) - 1)]


# ---------------------------------------------------------------------------------------------------------------
# fully_masked_rows: the only checks with rows that see nothing
# ---------------------------------------------------------------------------------------------------------------


def _one_empty_row() -> tuple[Tensor, Tensor]:
    """A mask ``[B, H, T, T]`` that hides all keys of two queries and nothing else, and which rows those are."""
    empty = torch.zeros(B, H, T, dtype=torch.bool)
    empty[0, 1, 2] = empty[1, 2, 0] = True
    return ~empty[..., None].expand(B, H, T, T).contiguous(), empty


def _expect_empty_rows(ask: Callable[[Tensor], tuple[Tensor, Tensor]], inverted: bool) -> None:
    """``ask(mask)`` gives the weights and the same with other scores. Inverted masks are asked the other way round."""
    mask, empty = _one_empty_row()

    def good(pair: tuple[Tensor, Tensor]) -> bool:
        return bool((pair[0][empty].abs() < 1e-6).all()) and bool((pair[0][~empty] > 1e-6).all())

    w, moved = ask(mask)
    if inverted and not good((w, moved)):
        w, moved = ask(~mask)
    expect.finite(w, MASKED)
    expect.below(w.masked_fill(~empty[..., None], 0), 1e-6, EMPTY)
    expect.positive(w.masked_fill(empty[..., None], 1), w.shape, VISIBLE)
    expect.differs(w, _seen(moved), by=1e-2, what=MASKED)


@criterion("fully_masked_rows")
def test_rows_that_see_nothing_have_zero_weights(student):
    """A query that may look at no key has weight 0 everywhere, never NaN; the other queries go on as ever."""
    probe = _ring(B, H)
    for dtype in (torch.float64, torch.float32):
        scores = _signs(B, H, T, T, dtype=dtype)

        def ask(mask: Tensor, scores: Tensor = scores) -> tuple[Tensor, Tensor]:
            return _any_weights(student, scores, mask), _any_weights(student, -scores, mask)

        _expect_empty_rows(ask, _reads_mask_inverted(ask(probe)[0], probe))


@criterion("fully_masked_rows")
@needs("mask_blocks", "softmax_over_keys")
def test_empty_rows_leave_the_other_rows_alone(student, rng):
    """Rows that see something keep their weights when another row sees nothing."""
    scores, mask = 1.5 * rng(B, H, T, T), rng.keep(B, H, T, T)
    hollow, empty = mask.clone(), _one_empty_row()[1]
    hollow[empty] = False
    want = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1).masked_fill(empty[..., None], 0)
    expect.close(_weights(student, scores, hollow), want, atol=1e-5, rtol=1e-4, what=MASKED)


@criterion("fully_masked_rows")
@needs("mask_blocks", "mask_broadcasts")
def test_a_whole_sample_may_see_nothing(student):
    """With a mask [B, 1, 1, T] that hides a whole sample, all its weights are 0."""
    scores, mask = _signs(B, H, T, T), torch.ones(B, 1, 1, T, dtype=torch.bool)
    mask[1] = False
    w = _weights(student, scores, mask)
    expect.below(w[1:], 1e-6, EMPTY)
    expect.positive(w[:1], (1, H, T, T), VISIBLE)


@criterion("fully_masked_rows")
@needs("gradients")
def test_gradients_of_the_weights_pass_empty_rows(student):
    """A row that sees nothing puts no NaN into the gradient of the scores."""
    scores = _signs(B, H, T, T).requires_grad_()
    w = expect.tensor(student.attention_weights(scores, _one_empty_row()[0]), scores.shape, what=MASKED)
    expect.gradients(w, [scores], ["scores"])


@criterion("fully_masked_rows")
def test_whole_function_gives_zero_where_nothing_is_seen(student):
    """scaled_dot_product_attention gives weights and output 0 for a query that may look at no key."""
    q, k = (0.5 + _signs(B, H, T, 2 * D, dtype=torch.float32)).split(D, dim=-1)
    q, k = 2 * q.contiguous(), k.contiguous()
    probe = _ring(B, H)
    ask = _under_masks(student, q, k, probe)
    other = _under_masks(student, -q, k, probe)
    inverted = _reads_mask_inverted(ask(probe), probe)
    _expect_empty_rows(lambda mask: (ask(mask), other(mask)), inverted)
    mask, empty = _one_empty_row()
    v = 3 + _signs(B, H, T, D, dtype=torch.float32)
    mask = ~mask if inverted else mask
    free, masked = _items(_whole(student, q, k, v)), _items(_whole(student, q, k, v, mask))
    for before, after in zip(free, masked, strict=False):
        moved = before.shape == after.shape and bool((_seen(before) != _seen(after)).any())
        if moved and after.shape[:-1] == (B, H, T):  # what did not follow the mask has its own criterion
            name = Text(en="what a query that sees nothing gets back", zh="什么都看不到的 query 得到的结果")
            expect.below(after.double().masked_fill(~empty[..., None], 0), 1e-6, name)


@criterion("fully_masked_rows")
@needs("gradients")
def test_gradients_of_the_whole_function_pass_empty_rows(student, rng):
    """A query that sees nothing puts no NaN into the gradients of q, k and v."""
    q, k, v = (rng(B, H, T, D, dtype=torch.float32).requires_grad_() for _ in "qkv")
    value = _whole(student, q, k, v, _one_empty_row()[0])
    expect.gradients(_first(value, (B, H, T, D)), [q, k, v], ["q", "k", "v"])


def _first(value: object, shape: tuple[int, ...]) -> Tensor:
    """The first tensor of this shape in an answer, or a failure that names what came."""
    found = [item for item in _items(value) if item.shape == shape]
    return found[0] if found else expect.tensor(value, shape, what=OUTPUT)


# ---------------------------------------------------------------------------------------------------------------
# weighted_values: what comes back from the whole function, judged by the student's own weights
# ---------------------------------------------------------------------------------------------------------------


def _expect_average(
    student: Any, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """(output, weights) of the right form and dtype, the output being weights @ v."""
    output, weights = expect.pair(_whole(student, q, k, v, mask), Text(en="the answer", zh="返回值"))
    expect.tensor(output, (*q.shape[:-1], v.shape[-1]), q.dtype, OUTPUT)
    expect.tensor(weights, (*q.shape[:-1], k.shape[-2]), q.dtype, RETURNED)
    w = expect.finite(weights.double(), RETURNED)
    what = Text(en="the output, against the returned weights times v,", zh="输出（与“返回的权重乘以 v”相比）")
    expect.close(output, w @ v.double(), atol=1e-5, rtol=1e-4, what=what, axes=("batch", "head", "query", "feature"))
    return output, w


def _expect_moving_average(student: Any, rng: Any, lead: tuple[int, ...], dtype: torch.dtype, dv: int) -> None:
    """The same, for weights that follow q and k and do not follow v."""
    q, k, v = rng(*lead, T, D, dtype=dtype), rng(*lead, T, D, dtype=dtype), rng(*lead, T, dv, dtype=dtype)
    _, w = _expect_average(student, q, k, v)
    _, other = _expect_average(student, q, k, 1 - 2 * v)
    why = Text(en="the returned weights change when only v does", zh="只改变 v，返回的权重却变了")
    expect.same(other, w, atol=1e-5, rtol=1e-4, what=RETURNED, why=why)
    _, moved = _expect_average(student, -q, k + 1, v)
    expect.differs(moved, w, by=1e-2, what=RETURNED)


@criterion("weighted_values")
def test_output_is_the_average_of_the_values(student, rng):
    """scaled_dot_product_attention returns (output, weights), and the output is the weighted sum of v."""
    _expect_moving_average(student, rng, (B, H), torch.float32, D)


@criterion("weighted_values")
@needs("scores_shape")
def test_output_keeps_float64(student, rng):
    """In float64, output and weights are float64."""
    _expect_moving_average(student, rng, (B, H), torch.float64, D)


@criterion("weighted_values")
@needs("scores_shape")
def test_output_keeps_bfloat16(student, rng):
    """In bfloat16 the function runs, and output and weights are finite bfloat16."""
    q, k, v = (rng(B, H, T, D, dtype=torch.bfloat16) for _ in "qkv")
    moved = []
    for sign in (1, -1):
        output, weights = expect.pair(_whole(student, sign * q, k, v), Text(en="the answer", zh="返回值"))
        expect.finite(expect.tensor(weights, (B, H, T, T), torch.bfloat16, RETURNED), RETURNED)
        expect.finite(expect.tensor(output, (B, H, T, D), torch.bfloat16, OUTPUT), OUTPUT)
        moved.append((output.double(), weights.double()))
    expect.differs(moved[0][0], moved[1][0], by=1e-2, what=OUTPUT)
    expect.differs(moved[0][1], moved[1][1], by=1e-2, what=RETURNED)


@criterion("weighted_values")
def test_values_may_be_wider_or_narrower(student, rng):
    """The output is as wide as the values, whatever the width of queries and keys."""
    for dv in (3, 11):
        _expect_moving_average(student, rng, (B, H), torch.float32, dv)


@criterion("weighted_values")
@needs("scores_shape", "softmax_over_keys")
@pytest.mark.parametrize("lead", [(), (B,)])
def test_any_number_of_leading_axes(student, rng, lead):
    """scaled_dot_product_attention works without batch and heads, and with a batch alone."""
    _expect_moving_average(student, rng, lead, torch.float32, D)


@criterion("weighted_values")
@needs("mask_blocks")
def test_returned_weights_are_the_ones_used_under_a_mask(student, rng):
    """With a mask, too, the returned weights are those the output was made with."""
    q, k, v = (rng(B, H, T, D, dtype=torch.float32) for _ in "qkv")
    mask = _ring(B, H)
    _, w = _expect_average(student, q, k, v, mask)
    expect.below(w.masked_fill(mask, 0), 1e-6, HIDDEN)
    expect.positive(w.masked_fill(~mask, 1), w.shape, VISIBLE)


@criterion("weighted_values")
@needs("dot_products", "softmax_over_keys")
def test_whole_function_is_made_of_its_steps(student, rng):
    """The returned weights are the softmax over the keys of the scaled dot products."""
    q, k, v = (0.7 * rng(B, H, T, D, dtype=torch.float32) for _ in "qkv")
    _, w = _expect_average(student, q, k, v)
    expect.positive(w, (B, H, T, T), RETURNED)
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
        follows = _factor(_logs(w), _interaction(scores.double())) > 1e-3
        note = Text(
            en=f"with {tq} queries and {tk} keys the weights no longer follow the scores",
            zh=f"{tq} 个 query、{tk} 个 key 时，权重不再随分数变化",
        )
        expect.that(follows, note)


@criterion("cross_lengths")
def test_scores_of_unequal_lengths(student, rng):
    """attention_scores takes more or fewer keys than queries."""
    q, k = rng(B, H, 6, D, dtype=torch.float32), rng(B, H, 6, D, dtype=torch.float32)
    square, products = _scores(student, q, k), q.double() @ k.double().mT
    if not abs(_factor(square, products)) > 1e-3:  # the pairing is wrong in a square already
        _alive_scores(student, q, k)
        _expect_weights_at_unequal_lengths(student, rng)
        return
    for tq, tk in ((3, 6), (6, 4), (1, 5)):
        got = _scores(student, q[..., :tq, :].contiguous(), k[..., :tk, :].contiguous())
        want = products[..., :tq, :tk]
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
    """A mask [Tq, Tk] hides keys where the two lengths differ."""
    scores, mask = rng(B, H, 3, 5, dtype=torch.float32), torch.ones(B, H, 3, 5, dtype=torch.bool)
    mask[..., 0, 4] = mask[..., 1, 0] = mask[..., 2, 2] = False
    w = _weights(student, scores, mask)
    expect.below(w.masked_fill(mask, 0), 1e-6, HIDDEN)
    expect.positive(w.masked_fill(~mask, 1), w.shape, VISIBLE)


@criterion("cross_lengths")
def test_whole_function_of_unequal_lengths(student, rng):
    """scaled_dot_product_attention takes more or fewer keys than queries."""
    q, k = 0.7 * rng(B, H, T, D, dtype=torch.float32), 0.7 * rng(B, H, T, D, dtype=torch.float32)
    if not _pairs_rightly(_readings(student, q, k)[0], q, k):  # wrong in a square already
        _alive_whole(student, q, k)
        _expect_weights_at_unequal_lengths(student, rng)
        return
    for tq, tk in ((3, 5), (6, 4)):
        q, k = 0.7 * rng(B, H, tq, D, dtype=torch.float32), 0.7 * rng(B, H, tk, D, dtype=torch.float32)
        readings = _readings(student, q, k)
        note = Text(
            en=f"with {tq} queries and {tk} keys scaled_dot_product_attention no longer follows q and k",
            zh=f"{tq} 个 query、{tk} 个 key 时，scaled_dot_product_attention 不再随 q 与 k 变化",
        )
        expect.that(any(_pairs_rightly(w, q, k) for w in readings), note)


# ---------------------------------------------------------------------------------------------------------------
# gradients
# ---------------------------------------------------------------------------------------------------------------


def _expect_gradients(call: Callable[..., Tensor], inputs: list[Tensor], names: list[str], rng: Any) -> None:
    """Gradients reach every input, and are the slopes of the student's own function."""
    leaves = [x.clone().requires_grad_() for x in inputs]
    out = call(*leaves)
    expect.gradients(out, leaves, names)
    spread = rng(*out.shape, dtype=out.dtype)
    grads = torch.autograd.grad(out, leaves, grad_outputs=spread, allow_unused=True, retain_graph=True)
    slopes, found = [], []
    for _ in range(2):
        ways = [rng(*x.shape, dtype=x.dtype) for x in inputs]
        up, down = (call(*[x + e * way for x, way in zip(inputs, ways, strict=True)]) for e in (5e-3, -5e-3))
        up, down = expect.finite(up, "the result"), expect.finite(down, "the result")
        expect.tensor(up, out.shape), expect.tensor(down, out.shape)
        slopes.append(((up.double() - down.double()) * spread.double()).sum() / 1e-2)
        found.append(sum((g.double() * way.double()).sum() for g, way in zip(grads, ways, strict=True) if g is not None))
    what = Text(en="the slope that the gradients predict", zh="由梯度算出的变化率")
    got, want = torch.stack([torch.as_tensor(x) for x in found]), torch.stack(slopes)
    expect.close(got, want, atol=2e-2 + 2e-2 * float(want.abs().max()), rtol=2e-2, what=what, axes=("direction",))


@criterion("gradients")
def test_gradients_reach_queries_and_keys(student, rng):
    """A loss on the scores reaches q and k."""

    def call(q: Tensor, k: Tensor) -> Tensor:
        return _real(expect.tensor(student.attention_scores(q, k), (B, H, T, T), what=SCORES), SCORES)

    _expect_gradients(call, [rng(B, H, T, D), rng(B, H, T, D)], ["q", "k"], rng)


@criterion("gradients")
def test_gradients_reach_the_scores(student, rng):
    """A loss on the weights reaches the scores."""
    scores = rng(B, H, T, T)
    _alive_weights(student, scores)
    _expect_gradients(lambda s: _any_weights(student, s), [scores], ["scores"], rng)


@criterion("gradients")
@needs("mask_blocks")
def test_gradients_reach_the_scores_under_a_mask(student, rng):
    """With a mask, a loss on the weights reaches the scores."""
    _expect_gradients(lambda s: _any_weights(student, s, _ring(B, H, keep=3)), [rng(B, H, T, T)], ["scores"], rng)


@criterion("gradients")
def test_gradients_reach_queries_keys_and_values(student, rng):
    """A loss on the output reaches q, k and v."""
    inputs = [rng(B, H, T, D, dtype=torch.float32) for _ in "qkv"]
    call = lambda q, k, v: _first(_whole(student, q, k, v), (B, H, T, D))  # noqa: E731
    _expect_gradients(call, inputs, ["q", "k", "v"], rng)


@criterion("gradients")
@needs("mask_blocks")
def test_gradients_reach_queries_keys_and_values_under_a_mask(student, rng):
    """With a mask, a loss on the output reaches q, k and v."""
    inputs = [rng(B, H, T, D, dtype=torch.float32) for _ in "qkv"]
    call = lambda q, k, v: _first(_whole(student, q, k, v, _ring(B, H, keep=3)), (B, H, T, D))  # noqa: E731
    _expect_gradients(call, inputs, ["q", "k", "v"], rng)


# ---------------------------------------------------------------------------------------------------------------
# inputs_untouched
# ---------------------------------------------------------------------------------------------------------------


@criterion("inputs_untouched")
def test_scores_leave_their_inputs_alone(student, rng):
    """attention_scores does not change q or k."""
    q, k = rng(B, H, T, D), rng(B, H, T, D)
    _alive_scores(student, q, k)
    expect.unchanged(student.watch("attention_scores", q, k), q, k, what=["q", "k"])


@criterion("inputs_untouched")
def test_weights_leave_their_inputs_alone(student, rng):
    """attention_weights does not change the scores or the mask it was given."""
    scores, mask = rng(B, H, T, T), _ring(B, H)
    _alive_weights(student, scores)
    expect.unchanged(student.watch("attention_weights", scores), scores, what=["scores"])
    expect.unchanged(student.watch("attention_weights", scores, mask), scores, mask, what=["scores", "mask"])


@criterion("inputs_untouched")
@needs("mask_blocks")
def test_number_masks_are_left_alone(student, rng):
    """A mask of 0/1 numbers is the same after the call."""
    scores, mask = rng(B, H, T, T), _ring(B, H).double()
    expect.unchanged(student.watch("attention_weights", scores, mask), scores, mask, what=["scores", "mask"])


@criterion("inputs_untouched")
def test_whole_function_leaves_its_inputs_alone(student, rng):
    """scaled_dot_product_attention does not change q, k, v or the mask."""
    q, k, v = (rng(B, H, T, D, dtype=torch.float32) for _ in "qkv")
    _alive_whole(student, q, k)
    for given in ((q, k, v), (q, k, v, _ring(B, H))):
        call = student.watch("scaled_dot_product_attention", *given)
        expect.unchanged(call, *given, what=["q", "k", "v", "mask"])
