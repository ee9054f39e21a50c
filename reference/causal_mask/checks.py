"""Hidden checks of causal_mask.

The mask is held against exact tables. The attention is asked on its own: it may call the student's causal_mask or
do everything inline. It is compared with itself alone (before and after a change), so the scale of its scores,
its fill value and its dtype inside cannot matter. Every call that wants weights passes an identity, padded with zeros,
as v: so the weights that were used stand in the values. Where they do not, the second result is read instead.
A first row of NaN (nothing visible) is what past_visible, rows_sum_to_one and gradients charge for; the checks
on the future pass over it. A mask that spoils other rows with NaN is their business: the others then ask without it.
"""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from grader.checks import Text, criterion, differences, expect, values_by_head
from grader.errors import CheckFailed
from grader.student import Call

ATOL, RTOL = 1e-5, 1e-4
HIDDEN = 1e-6  # a forbidden weight is below this
SEEN = 1e-3  # a visible key has more than this, where all scores are close together
MOVED = 1e-4  # what other scores change at least; what stays the same differs by less than ATOL

VALUES = Text(en="values", zh="values ")
WEIGHTS = Text(en="weights", zh="weights ")
MASK = Text(en="the mask", zh="掩码")
DEAD = Text(
    en="the result does not follow from q, k and v: it stays the same when they change, "
    "changes when they stay the same, or is not finite",
    zh="结果与 q、k、v 无关：输入变了它不变，输入不变它却变，或者不是有限的数",
)


# -- reading an answer, whatever its form ---------------------------------------------------------


def _parts(result: object) -> list[Tensor]:
    """Every tensor or array in a result, one level deep, as tensors of floats."""
    items = list(result.values()) if isinstance(result, dict) else result
    items = list(items) if isinstance(items, tuple | list) else [items]
    arrays = [torch.from_numpy(x.astype(np.float64)) if _is_numbers(x) else x for x in items]
    return [x if x.is_floating_point() else x.double() for x in arrays if isinstance(x, Tensor)]


def _is_numbers(x: object) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind in "fiub"


def _values(result: object, shape: tuple[int, ...]) -> Tensor:
    """The values [B, H, T, D] of a result (T and D differ in every check, so they cannot be mistaken).

    weights_shape charges for another form of them.
    """
    return values_by_head(_parts(result), shape, VALUES)


def _second(result: object, shape: tuple[int, ...]) -> Tensor | None:
    """What stands in a result where the weights [B, H, T, T] belong, if anything does."""
    b, h, t, _ = shape
    return next((x for x in _parts(result) if tuple(x.shape) == (b, h, t, t)), None)


def _are_weights(w: Tensor) -> bool:
    return bool(torch.isfinite(w).all()) and bool((w >= 0).all()) and bool((w.sum(-1) > 0).all())


def _weights(result: object, shape: tuple[int, ...]) -> Tensor:
    """The weights [B, H, T, T] that were used in a call that was given an identity as v."""
    second = _second(result, shape)
    if second is not None and (len(_parts(result)) == 1 or _are_weights(second)):
        used = next((x for x in _parts(result) if tuple(x.shape) == shape), None)
        if used is None or not _are_weights(used[..., : shape[2]]):  # some other v: weights_shape charges for it
            return second.detach().double()
    return _values(result, shape)[..., : shape[2]].detach().double()


def _identity(like: Tensor) -> Tensor:
    """[B, H, T, D] with ones where feature = token: attention over it puts the weights into the values."""
    t, d = like.shape[-2:]
    return torch.eye(t, d, dtype=like.dtype).expand(like.shape).contiguous()


def _ask_weights(student, q: Tensor, k: Tensor, **named: bool) -> Tensor:
    return _weights(student.causal_attention(q, k, _identity(q), **named), tuple(q.shape))


def _ask(student, q: Tensor, k: Tensor, v: Tensor, **named: bool) -> Call:
    """The watched call; where the causal mask spoils rows after the first with NaN, the same call without the mask."""
    call = student.watch("causal_attention", q, k, v, **named)
    spoilt = any(x.dim() > 1 and bool(torch.isnan(x[..., 1:, :]).any()) for x in _parts(call.value))
    return student.watch("causal_attention", q, k, v, causal=False) if spoilt and not named else call


def _dtype(name: str) -> torch.dtype:
    return {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}[name]


# -- alive first ----------------------------------------------------------------------------------


def _alive(student, rng, *readings, t: int = 4, **named: bool) -> None:
    """Pass only if what ``readings`` find follows from q and from k: the same for the same, other for others.

    One call, some heads: three alike, then one with another q, then one with another k. Two of the three must agree
    (a mistake may sit in a single head), and both others must differ from them.
    """
    count = 6 if t == 5 else 5  # never as many as tokens: then the two cannot be mistaken for each other
    q, k = (0.7 * rng(1, 1, t, t + 2).repeat(1, count, 1, 1) for _ in "qk")
    q[:, 3], k[:, 4] = 0.7 * rng(1, t, t + 2), 0.7 * rng(1, t, t + 2)  # any scale will do: neither flat nor one-hot
    result = _ask(student, q, k, _identity(q), **named).value
    for read in readings:
        heads = read(result, tuple(q.shape)).detach().double()[0]
        agree = any(_gap(heads[i], heads[j]) < ATOL for i, j in ((0, 1), (0, 2), (1, 2)))
        expect.that(agree and _gap(heads[1], heads[3]) > MOVED and _gap(heads[1], heads[4]) > MOVED, DEAD)


def _gap(a: Tensor, b: Tensor) -> float:
    """The largest difference over the rows that are finite in both; NaN where there is none."""
    rows = torch.isfinite(a).all(-1) & torch.isfinite(b).all(-1)
    return float((a - b)[rows].abs().max()) if bool(rows.any()) else math.nan


# -- causal_mask ----------------------------------------------------------------------------------


def _triangle(t: int) -> Tensor:
    """[1, 1, t, t], written out from its definition."""
    return torch.tensor([[[[j <= i for j in range(t)] for i in range(t)]]])


def _tables(*masks: object) -> list[Tensor]:
    """Masks as truth tables. Masks to be added to scores (0 and very negative numbers) read as they act."""
    tensors = [expect.tensor(mask, what=MASK) for mask in masks]
    added = all(bool(((m == 0) | (m < -1e3)).all()) for m in tensors) and any(bool((m < 0).any()) for m in tensors)
    return [m == 0 for m in tensors] if added else tensors


def _expect_a_triangle_of_some_kind(mask: object) -> None:
    """Which triangle is lower_triangle's business; a mask that is no triangle at all earns nothing here either."""
    (table,) = _tables(mask)
    expect.that(table.dim() >= 2 and min(table.shape[-2:]) > 1, _not_a_triangle())
    square = table.double().reshape(-1, *table.shape[-2:])[0]
    steps = [square[1:] - square[:-1], square[:, 1:] - square[:, :-1]]
    staircase = all(bool((s >= 0).all()) or bool((s <= 0).all()) for s in steps)
    heights = {float(n) for n in square.sum(-1)}
    expect.that(staircase and len(heights) >= 3, _not_a_triangle())


def _not_a_triangle() -> Text:
    return Text(
        en="the mask does not separate earlier from later tokens: "
        "every query should see one key more than the query before it",
        zh="掩码没有区分先后：每个 query 应当比前一个 query 多看到一个 key",
    )


@criterion("mask_shape")
@pytest.mark.parametrize("t", [5, 8])
def test_mask_has_room_for_batch_and_heads(student, t):
    """The mask is bool and has the shape [1, 1, t, t]."""
    mask = student.causal_mask(t)
    expect.tensor(mask, (1, 1, t, t), torch.bool, MASK)
    _expect_a_triangle_of_some_kind(mask)


@criterion("mask_shape")
def test_mask_has_its_shape_for_any_length(student):
    """The shape follows t, for one token and two tokens as well; device may be named."""
    for t in (1, 2, 3, 6):
        expect.tensor(student.causal_mask(t=t), (1, 1, t, t), torch.bool, MASK)
    on_cpu = student.causal_mask(6, device="cpu")
    expect.tensor(on_cpu, (1, 1, 6, 6), torch.bool, MASK)
    _expect_a_triangle_of_some_kind(on_cpu)


@criterion("lower_triangle")
@pytest.mark.parametrize("sizes", [(1, 2, 4), (5, 3), (12, 7, 9)])
def test_mask_is_the_lower_triangle(student, sizes):
    """Entry (i, j) of the mask is True where key j is query i itself or comes before it, and nowhere else."""
    for t, table in zip(sizes, _tables(*[student.causal_mask(t) for t in sizes]), strict=True):
        expect.truth(table, _triangle(t), MASK)


# -- the two results ------------------------------------------------------------------------------


@criterion("weights_shape")
@pytest.mark.parametrize(
    "shape, dtype", [((2, 3, 5, 7), "float64"), ((2, 3, 8, 9), "float32"), ((2, 3, 5, 7), "bfloat16")]
)
def test_values_and_weights_come_as_a_pair(student, rng, shape, dtype):
    """The function returns the tuple (values, weights) with the right shapes and the dtype of its inputs."""
    _alive(student, rng, _values, _weights, t=shape[2])
    _expect_pair(student, rng, shape, _dtype(dtype))


@criterion("weights_shape")
def test_shapes_hold_where_sizes_coincide(student, rng):
    """The shapes hold for a single token, for as many samples as heads and for as many samples as tokens."""
    _alive(student, rng, _values, _weights)
    for shape in [(2, 3, 1, 4), (3, 3, 4, 6), (4, 2, 4, 7), (1, 1, 6, 3)]:
        _expect_pair(student, rng, shape, torch.float64)


def _expect_pair(student, rng, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    b, h, t, _ = shape
    q, k, v = rng(*shape, dtype=dtype), rng(*shape, dtype=dtype), rng(*shape, dtype=dtype)
    values, weights = expect.pair(student.causal_attention(q, k, v), Text(en="the result", zh="返回值"))
    expect.tensor(values, shape, dtype, VALUES)
    expect.tensor(weights, (b, h, t, t), dtype, WEIGHTS)


@criterion("weights_shape")
def test_weights_are_the_ones_that_were_used(student, rng):
    """The weights that are returned are those the values were averaged with."""
    _alive(student, rng, _values, _weights)
    shape = (2, 3, 5, 7)
    q, k = rng(*shape), rng(*shape)
    values, weights = expect.pair(student.causal_attention(q, k, _identity(q)), Text(en="the result", zh="返回值"))
    expect.tensor(values, shape, what=VALUES)
    expect.tensor(weights, (2, 3, 5, 5), what=WEIGHTS)
    if not _are_weights(weights):  # rows_sum_to_one speaks about that
        return
    used = values[..., :5] * _triangle(5)  # what stands in the future is future_weights_zero's business
    shown = weights * _triangle(5)
    rows = torch.isfinite(used).all(-1, keepdim=True) & (used.sum(-1, keepdim=True) > 0)
    expect.that(bool(rows.any()), DEAD)
    expect.same(
        torch.where(rows, shown / shown.sum(-1, keepdim=True), 0.0).nan_to_num(0.0),
        torch.where(rows, used / used.sum(-1, keepdim=True), 0.0).nan_to_num(0.0),
        atol=ATOL,
        rtol=RTOL,
        why=Text(
            en="the values are not the average of v under the weights that were returned",
            zh="values 并不是 v 按返回的 weights 加权得到的",
        ),
    )


# -- the future has no weight ---------------------------------------------------------------------


def _expect_no_future_in(student, q: Tensor, k: Tensor) -> None:
    """Neither the weights that were used nor those that were returned lie on the future."""
    shape = tuple(q.shape)
    result = student.causal_attention(q, k, _identity(q))
    _expect_no_future(_weights(result, shape))
    second = _second(result, shape)
    if second is not None and _are_weights(second):
        _expect_no_future(second.detach())


def _expect_no_future(weights: Tensor) -> None:
    """Above the diagonal all weights are 0. A first row of NaN is passed over."""
    first_is_nan = torch.isnan(weights[:, :, :1]).all(-1, keepdim=True)
    weights = torch.cat([torch.where(first_is_nan, 0.0, weights[:, :, :1]), weights[:, :, 1:]], dim=2)
    expect.finite(weights, WEIGHTS)
    expect.below(weights * ~_triangle(weights.shape[-1]), HIDDEN, WEIGHTS)


@criterion("future_weights_zero")
@pytest.mark.parametrize(
    "shape, dtype", [((2, 3, 5, 7), "float64"), ((3, 3, 8, 9), "float32"), ((4, 2, 4, 7), "float64")]
)
def test_no_weight_lies_on_the_future(student, rng, shape, dtype):
    """Every weight of a query on a later token is 0."""
    _alive(student, rng, _weights, t=shape[2])
    q, k = rng(*shape, dtype=_dtype(dtype)), rng(*shape, dtype=_dtype(dtype))
    _expect_no_future_in(student, q, k)


@criterion("future_weights_zero")
def test_equal_scores_do_not_open_the_future(student, rng):
    """Where all dot products are 0, later tokens still have no weight."""
    _alive(student, rng, _weights)
    k = rng(2, 3, 5, 7)
    _expect_no_future_in(student, torch.zeros_like(k), k)


@criterion("future_weights_zero")
def test_a_tempting_future_gets_no_weight(student, rng):
    """Where later tokens match far better than all that came before, they still have no weight."""
    _alive(student, rng, _weights)
    t, d = 5, 7
    wanted = torch.where(_triangle(t), -30.0, 30.0) + rng(2, 3, t, t)  # scores, if they are divided by sqrt(d)
    q = torch.cat([wanted * d**0.5 / 8, rng(2, 3, t, d - t)], dim=-1)
    k = torch.cat([8 * torch.eye(t, dtype=torch.float64).expand(2, 3, t, t), torch.zeros(2, 3, t, d - t)], dim=-1)
    _expect_no_future_in(student, q, k)


# -- rows sum to one ------------------------------------------------------------------------------


@criterion("rows_sum_to_one")
@pytest.mark.parametrize(
    "shape, dtype, first",  # the first query has to look at itself; where it cannot, the others are still asked
    [((2, 3, 5, 7), "float64", 0), ((3, 3, 8, 9), "float32", 0), ((4, 2, 4, 9), "float64", 1)],
)
def test_weights_of_a_query_sum_to_one(student, rng, shape, dtype, first):
    """Every query gives away exactly 1 in all, and nothing negative."""
    _alive(student, rng, _weights, t=shape[2])
    q, k = 1.5 * rng(*shape, dtype=_dtype(dtype)), 1.5 * rng(*shape, dtype=_dtype(dtype))
    result = _ask(student, q, k, _identity(q)).value
    second = _second(result, shape)
    weights = (_weights(result, shape) if second is None else second).detach().double()[:, :, first:]
    expect.finite(weights, WEIGHTS)
    expect.that(
        bool((weights > -HIDDEN).all()),
        Text(en="some weights are negative: are these the scores?", zh="有的权重是负数：返回的是分数吗？"),
    )
    expect.close(
        weights.sum(-1),
        torch.ones(weights.shape[:3]),
        atol=ATOL,
        rtol=RTOL,
        what=Text(en="the sum of a query's weights", zh="一个 query 的权重之和"),
        axes=("batch", "head", "query"),
    )


# -- the future has no influence ------------------------------------------------------------------


def _moved(before: Tensor, after: Tensor) -> Tensor:
    """[..., T]: whether a row changed. NaN is a change, save in a first row that is NaN before and after."""
    same = (after - before).abs() <= ATOL + RTOL * before.abs()
    same[..., 0, :] |= (torch.isnan(before) & torch.isnan(after))[..., 0, :]
    return ~same.all(-1)


def _influence(student, q: Tensor, k: Tensor, v: Tensor, rng, moves: str, **named: bool) -> Tensor:
    """Bool [T, H, T]: does moving token j (first axis) change row i (last) of head h? One call, a sample per token.

    q, k and v hold one sample; the new keys are as large as the old ones.
    """
    _, h, t, d = q.shape
    size, dtype = float(k.abs().max()), q.dtype
    q, k, v = (x.repeat(t + 1, 1, 1, 1) for x in (q, k, v))
    for j in range(t):
        if "k" in moves:
            k[j + 1, :, j] = rng.uniform(-size, size, h, d, dtype=dtype)
        if "v" in moves:
            v[j + 1, :, j] += rng.uniform(20, 40, h, d, dtype=dtype)
    result = student.causal_attention(q, k, v, **named)
    values = _values(result, (t + 1, h, t, d)).detach().double()
    return _moved(values[:1], values[1:])


def _expect_no_leak(moved: Tensor) -> None:
    """``moved`` [T, H, T]: changing token j may change only rows i >= j."""
    t = moved.shape[0]
    leaks = [(j, i) for j in range(t) for i in range(j) if bool(moved[j, :, i].any())]
    if leaks:
        j, i = leaks[0]
        expect.that(False, _leak(j, i))


def _leak(j: int, i: int) -> Text:
    return Text(
        en=f"changing token {j} changed the values of query {i}, which comes before it (counted from 0)",
        zh=f"只改动第 {j} 个 token，排在它前面的第 {i} 个 query 的 values 却变了（从 0 数起）",
    )


@criterion("future_invariance")
@pytest.mark.parametrize("moves", ["k", "v", "kv"])
def test_changing_one_token_changes_no_earlier_row(student, rng, moves):
    """Changing one token, wherever it stands, changes no row before it."""
    _alive(student, rng, _values)
    q, k, v = rng(1, 3, 6, 8), 2 * rng(1, 3, 6, 8), rng(1, 3, 6, 8)
    _expect_no_leak(_influence(student, q, k, v, rng, moves))


@criterion("future_invariance")
@pytest.mark.parametrize("h, t, d, dtype", [(2, 8, 5, "float32"), (2, 12, 5, "float64"), (5, 4, 6, "float64")])
def test_no_leak_at_other_sizes(student, rng, h, t, d, dtype):
    """The same for few and many tokens, more tokens than features, and as many samples as heads."""
    _alive(student, rng, _values, t=t)
    q, k, v = (rng(1, h, t, d, dtype=_dtype(dtype)) for _ in range(3))
    _expect_no_leak(_influence(student, q, k, v, rng, "kv"))


@criterion("future_invariance")
@pytest.mark.parametrize("b, h, t, d", [(2, 3, 5, 7), (4, 2, 4, 6)])
def test_a_new_future_changes_no_past(student, rng, b, h, t, d):
    """Wherever a text is cut, another continuation leaves the rows before the cut as they were."""
    _alive(student, rng, _values)
    q, k, v = rng(b, h, t, d), rng(b, h, t, d), rng(b, h, t, d)
    before = _values(student.causal_attention(q, k, v), (b, h, t, d)).detach().double()
    for cut in range(1, t):
        k2, v2 = k.clone(), v.clone()
        k2[:, :, cut:] = 3 * rng(b, h, t - cut, d)
        v2[:, :, cut:] = rng.uniform(-50, 50, b, h, t - cut, d)
        after = _values(student.causal_attention(q, k2, v2), (b, h, t, d)).detach().double()
        moved = _moved(before, after)[:, :, :cut].any(0).any(0)
        if bool(moved.any()):
            expect.that(False, _leak(cut, int(moved.nonzero()[0])))


# -- the past and the token itself stay visible ---------------------------------------------------


def _expect_visible(weights: Tensor, visible: Tensor, above: float = SEEN) -> None:
    low = visible & ~(weights > above)
    if bool(low.any()):
        _, _, i, j = (int(n) for n in low.nonzero()[0])
        where = Text(en="itself", zh="自己") if i == j else Text(en=f"token {j}", zh=f"第 {j} 个 token")
        expect.that(
            False,
            Text(
                en=f"query {i} gives {where.en} no weight, though it may look there (counted from 0)",
                zh=f"第 {i} 个 query 没有给{where.zh}任何权重，而它本可以看到（从 0 数起）",
            ),
        )


@criterion("past_visible")
@pytest.mark.parametrize(
    "shape, dtype", [((2, 3, 6, 7), "float64"), ((3, 3, 8, 9), "float32"), ((4, 2, 4, 7), "float64")]
)
def test_every_query_sees_itself_and_all_before(student, rng, shape, dtype):
    """Every query gives some weight to itself and to each token before it."""
    _alive(student, rng, _weights, t=shape[2])
    q, k = 0.3 * rng(*shape, dtype=_dtype(dtype)), 0.3 * rng(*shape, dtype=_dtype(dtype))
    _expect_visible(_ask_weights(student, q, k), _triangle(shape[2]).expand(*shape[:3], shape[2]))


@criterion("past_visible")
def test_a_token_reaches_itself_and_all_after(student, rng):
    """Changing one token changes its own row and every row after it."""
    _alive(student, rng, _values)
    q, k, v = 0.3 * rng(1, 3, 6, 8), 0.3 * rng(1, 3, 6, 8), rng(1, 3, 6, 8)
    moved = _influence(student, q, k, v, rng, "kv")
    for j in range(6):
        for i in range(j, 6):
            expect.that(
                bool(moved[j, :, i].all()),
                Text(
                    en=f"changing token {j} left the values of query {i} as they were, "
                    "though it may look there (counted from 0)",
                    zh=f"改动第 {j} 个 token 后，第 {i} 个 query 的 values 没有变化，而它本可以看到（从 0 数起）",
                ),
            )


# -- the contrast: causal=False -------------------------------------------------------------------


@criterion("contrast")
@pytest.mark.parametrize("shape, dtype", [((2, 3, 5, 7), "float64"), ((4, 2, 4, 6), "float32")])
def test_without_the_mask_all_is_visible(student, rng, shape, dtype):
    """With causal=False every query gives some weight to every token, later ones too."""
    _alive(student, rng, _weights, causal=False)
    q, k = 0.3 * rng(*shape, dtype=_dtype(dtype)), 0.3 * rng(*shape, dtype=_dtype(dtype))
    everything = torch.ones(*shape[:3], shape[2], dtype=torch.bool)
    _expect_visible(_ask_weights(student, q, k, causal=False), everything)


@criterion("contrast")
def test_without_the_mask_the_future_reaches_the_past(student, rng):
    """With causal=False changing a later token changes the rows before it."""
    _alive(student, rng, _values, causal=False)
    q, k, v = 0.3 * rng(1, 2, 5, 7), 0.3 * rng(1, 2, 5, 7), rng(1, 2, 5, 7)
    moved = _influence(student, q, k, v, rng, "kv", causal=False)
    expect.that(
        bool(moved.all()),
        Text(
            en="with causal=False some token does not reach some query",
            zh="causal=False 时，仍有 token 影响不到某个 query",
        ),
    )


@criterion("contrast")
def test_the_contrast_differs_by_the_mask_alone(student, rng):
    """causal=False uses the same scores as causal=True, which is also what the function does when nothing is said."""
    _alive(student, rng, _weights, causal=False)
    shape = (2, 3, 6, 7)
    q, k = rng(*shape), rng(*shape)
    v = _identity(q)
    by_name = _weights(student.causal_attention(q, k, v, causal=True), shape)
    unsaid = _weights(student.causal_attention(q, k, v), shape)
    open_ = _weights(student.causal_attention(q, k, v, False), shape)
    expect.that(
        bool(torch.isclose(by_name, unsaid, atol=ATOL, rtol=RTOL, equal_nan=True).all()),
        Text(en="causal=True and the default give different weights", zh="causal=True 与默认情形的权重不同"),
    )
    _expect_visible(open_, torch.ones(2, 3, 6, 6, dtype=torch.bool), above=0.0)
    past, past_open = by_name[:, :, 3:, :3], open_[:, :, 3:, :3]  # visible to both
    if not bool((past > 0).all()):  # past_visible speaks about that
        return
    expect.same(
        differences(past_open.log()),  # free of what a row or a column was divided by
        differences(past.log()),
        atol=1e-4,
        rtol=1e-3,
        why=Text(
            en="with causal=False the weights among earlier tokens come from other scores than with causal=True",
            zh="causal=False 与 causal=True 在前面各 token 之间用的不是同样的分数",
        ),
    )


# -- gradients ------------------------------------------------------------------------------------


def _leaves(rng, *shape: int, dtype: torch.dtype = torch.float64) -> list[Tensor]:
    return [rng(*shape, dtype=dtype).requires_grad_() for _ in range(3)]


def _expect_gradients(student, values: Tensor, leaves: list[Tensor]) -> tuple[Tensor, ...]:
    """The gradients of q, k and v: present, finite, not all zero. v is left out where it has no say in the values."""
    try:
        return expect.gradients(values, leaves, ("q", "k", "v"))
    except CheckFailed:
        q, k, v = (x.detach() for x in leaves)
        other = _values(_ask(student, q, k, v + 1).value, tuple(v.shape)).detach()
        if bool(_moved(values.detach(), other).any()):
            raise
        return expect.gradients(values, leaves[:2], ("q", "k"))  # weights_shape charges for it


@criterion("gradients")
@pytest.mark.parametrize("shape, dtype", [((2, 3, 5, 7), "float64"), ((2, 3, 8, 9), "float32")])
def test_gradients_flow_through_the_values(student, rng, shape, dtype):
    """Gradients reach q, k and v through the values; all are finite and none is all zero."""
    _alive(student, rng, _values, t=shape[2])
    leaves = _leaves(rng, *shape, dtype=_dtype(dtype))
    _expect_gradients(student, _values(_ask(student, *leaves).value, shape), leaves)


@criterion("gradients")
def test_gradients_flow_through_the_weights(student, rng):
    """Gradients reach q and k through the weights too; all are finite and none is all zero."""
    _alive(student, rng, _weights)
    q, k, _ = _leaves(rng, 2, 3, 5, 7)
    result = _ask(student, q, k, _identity(q)).value
    second, used = _second(result, (2, 3, 5, 7)), _weights(result, (2, 3, 5, 7))
    shown = second is not None and not bool(_moved(used, second.detach()).any())  # else others charge for it
    expect.gradients(second if shown else _values(result, (2, 3, 5, 7)), (q, k), ("q", "k"))


@criterion("gradients")
def test_gradients_are_the_slope_and_inputs_stay(student, rng):
    """A small step along each input changes the values by what the gradient says; the inputs stay as they were."""
    _alive(student, rng, _values)
    shape, step = (2, 2, 4, 5), 1e-2
    leaves = [(0.5 * rng(*shape)).requires_grad_() for _ in range(3)]
    call = _ask(student, *leaves)
    values = _values(call.value, shape)
    slopes = _expect_gradients(student, values, leaves)
    expect.unchanged(call, *leaves, what=("q", "k", "v"))
    spread = torch.linspace(0.5, 1.5, values.numel(), dtype=torch.float64).reshape(shape)
    for at, (name, slope) in enumerate(zip("qkv", slopes, strict=False)):
        push = rng(*shape)
        ends = []
        for sign in (1, -1):
            inputs = [x.detach() for x in leaves]
            inputs[at] = inputs[at] + sign * step * push
            ends.append((_values(_ask(student, *inputs).value, shape).double() * spread).sum())
        found, said = (ends[0] - ends[1]) / (2 * step), (slope * push).sum()
        room = 2e-2 + 1e-2 * found.abs()  # what float32 inside (1e-6 / step) and the step itself (step**2) may cost
        expect.that(
            bool((found - said).abs() <= room),
            Text(
                en=f"the gradient of {name} is not the slope of the values: "
                "part of the way is cut off (detach, .data?)",
                zh=f"{name} 的梯度与 values 的变化率不符：中间有一段被截断了（detach、.data？）",
            ),
        )
