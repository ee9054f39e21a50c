"""Hidden checks of padding_mask.

The four masks are held against tables written out from their definitions. The attention is asked on its own: it may
call the student's masks or do everything inline. It is compared with itself alone (before and after a change, padded
and cut), so the scale of its scores, its fill value and its dtype inside cannot matter. Every call that wants weights
passes an identity, padded with zeros, as v: so the weights that were used stand in the values. Where they do not, the
second result is read instead.
Who pays: what several samples do to one another is asked in samples_independent alone, so all else uses one sample;
padding_unseen is asked with causal=False, both masks together in causal_and_padding; NaN in rows of padding is
no_nan's, so padding_queries_zero passes over it.
"""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from grader.checks import Text, criterion, expect, needs, values_by_head

ATOL, RTOL = 1e-5, 1e-4
HIDDEN = 1e-6  # a forbidden weight is below this
SEEN = 1e-3  # a visible key has more than this, where all scores are close together
MOVED = 1e-4  # what other scores change at least; what stays the same differs by less than ATOL

PADS = {  # 7 tokens, 1 = real
    "right": (1, 1, 1, 1, 0, 0, 0),
    "left": (0, 0, 1, 1, 1, 1, 1),
    "inner": (1, 0, 1, 1, 0, 0, 1),
    "scattered": (0, 1, 0, 1, 1, 0, 1),
    "none": (1, 1, 1, 1, 1, 1, 1),
    "all": (0, 0, 0, 0, 0, 0, 0),
}
T, D = 7, 9
SHAPE = (1, 3, T, D)

VALUES = Text(en="values", zh="values ")
WEIGHTS = Text(en="weights", zh="weights ")
MASK = Text(en="the mask", zh="掩码")
RESULT = Text(en="the result", zh="返回值")
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

    valid_rows_sum_to_one charges for another form of them.
    """
    return values_by_head(_parts(result), shape, VALUES)


def _second(result: object, shape: tuple[int, ...]) -> Tensor | None:
    """What stands in a result where the weights [B, H, T, T] belong, if anything does."""
    b, h, t, _ = shape
    return next((x for x in _parts(result) if tuple(x.shape) == (b, h, t, t)), None)


def _are_weights(w: Tensor, rows: Tensor) -> bool:
    """Whether the rows [T] of w [B, H, T, T] hold weights: finite, none negative, not all zero."""
    w = w[:, :, rows]
    return bool(torch.isfinite(w).all()) and bool((w >= 0).all()) and bool((w.sum(-1) > 0).all())


def _weights(result: object, shape: tuple[int, ...], rows: Tensor) -> Tensor:
    """The weights [B, H, T, T] used in a call that was given an identity as v. ``rows`` [T] must hold some."""
    second = _second(result, shape)
    if second is not None and (len(_parts(result)) == 1 or _are_weights(second, rows)):
        used = next((x for x in _parts(result) if tuple(x.shape) == shape), None)
        if used is None or not _are_weights(
            used[..., : shape[2]], rows
        ):  # some other v: the pair's check charges for it
            return second.detach().double()
    return _values(result, shape)[..., : shape[2]].detach().double()


def _identity(like: Tensor) -> Tensor:
    """[B, H, T, D] with ones where feature = token: attention over it puts the weights into the values."""
    t, d = like.shape[-2:]
    return torch.eye(t, d, dtype=like.dtype).expand(like.shape).contiguous()


def _attend(student, q: Tensor, k: Tensor, v: Tensor, causal: bool, mask: Tensor) -> object:
    """Ask masked_attention; causal=True goes without saying, so that it runs where that argument is missing."""
    if causal:
        return student.masked_attention(q, k, v, padding_mask=mask)
    return student.masked_attention(q, k, v, causal=False, padding_mask=mask)


def _dtype(name: str) -> torch.dtype:
    return {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}[name]


def _mask(*names: str) -> Tensor:
    """Bool [B, 7], a sample per name."""
    return torch.tensor([PADS[name] for name in names]).bool()


def _moved(before: Tensor, after: Tensor) -> Tensor:
    """[..., T]: whether a row changed. NaN before and after is no change; NaN on one side is."""
    both_nan = torch.isnan(before) & torch.isnan(after)
    return ~(((after - before).abs() <= ATOL + RTOL * before.abs()) | both_nan).all(-1)


def _draw(rng, dtype: str = "float64") -> tuple[Tensor, Tensor, Tensor]:
    """q, k and v of one sample; scores near one another."""
    return 0.5 * rng(*SHAPE, dtype=_dtype(dtype)), rng(*SHAPE, dtype=_dtype(dtype)), rng(*SHAPE, dtype=_dtype(dtype))


def _with_garbage(rng, x: Tensor, where: Tensor, size: float) -> Tensor:
    """x [1, H, T, D] with other numbers, up to ``size``, in the tokens that ``where`` [T] names."""
    garbage = rng.uniform(-size, size, *x.shape, dtype=x.dtype)
    return torch.where(where[:, None], garbage, x)


# -- alive first ----------------------------------------------------------------------------------

FEW = torch.tensor([True, False] * 5)  # enough on either side, whichever a mask leaves visible


def _alive(student, rng, *readings) -> None:
    """Pass only if what ``readings`` find follows from q and from k: the same for the same, other for others.

    One call, five heads: three alike, then one with another q, then one with another k. Two of the three must agree
    (a mistake may sit in a single head), and both others must differ from them.
    """
    q, k = 0.7 * rng(1, 1, 10, 12).repeat(1, 5, 1, 1), 0.7 * rng(1, 1, 10, 12).repeat(1, 5, 1, 1)  # any scale will do:
    q[:, 3], k[:, 4] = 0.7 * rng(1, 10, 12), 0.7 * rng(1, 10, 12)  # neither flat nor one-hot
    result = _attend(student, q, k, _identity(q), True, FEW[None])
    for read in readings:
        heads = read(result, tuple(q.shape)).detach().double()[0]
        agree = any(_gap(heads[i], heads[j]) < ATOL for i, j in ((0, 1), (0, 2), (1, 2)))
        expect.that(agree and _gap(heads[1], heads[3]) > MOVED and _gap(heads[1], heads[4]) > MOVED, DEAD)


def _gap(a: Tensor, b: Tensor) -> float:
    """The largest difference over the rows that are finite in both; NaN where there is none."""
    rows = torch.isfinite(a).all(-1) & torch.isfinite(b).all(-1)
    return float((a - b)[rows].abs().max()) if bool(rows.any()) else math.nan


def _some_weights(result: object, shape: tuple[int, ...]) -> Tensor:
    """The weights for ``_alive``."""
    return _weights(result, shape, FEW)


# -- the masks ------------------------------------------------------------------------------------


@criterion("valid_tokens")
@pytest.mark.parametrize("lengths, t", [((3, 0, 5, 1), 5), ((2, 4, 3), 4), ((1, 2, 2), 3)])
def test_lengths_become_a_mask(student, lengths, t):
    """The first lengths[b] positions of sample b are True and the rest False; lengths is a tensor."""
    table = torch.tensor([[j < n for j in range(t)] for n in lengths])
    expect.mask(student.valid_tokens(torch.tensor(lengths), t), table, MASK)
    expect.mask(student.valid_tokens(lengths=torch.tensor(lengths, dtype=torch.int32), t=t), table, MASK)


@criterion("valid_tokens")
def test_lengths_may_be_a_list(student):
    """lengths may be a plain list of whole numbers, from none of the positions to all of them."""
    for lengths, t in (([0, 6, 2], 6), ([7], 7), ([0, 0], 4), ([1, 0], 1)):
        table = torch.tensor([[j < n for j in range(t)] for n in lengths])
        expect.mask(student.valid_tokens(lengths, t), table, MASK)


@criterion("key_mask")
@pytest.mark.parametrize(
    "names", [("right", "left", "scattered"), ("inner", "none", "all", "left", "right", "all", "inner")]
)
def test_key_mask_lies_along_the_keys(student, names):
    """The same truth values in the shape [B, 1, 1, T]: the last axis is the key that is looked at."""
    valid = _mask(*names)
    want = torch.tensor([[[[bool(x) for x in PADS[name]]]] for name in names])
    expect.mask(student.padding_key_mask(valid), want, MASK)


@criterion("query_mask")
@pytest.mark.parametrize(
    "names", [("right", "left", "scattered"), ("inner", "none", "all", "left", "right", "all", "inner")]
)
def test_query_mask_lies_along_the_queries(student, names):
    """The same truth values in the shape [B, 1, T, 1]: the third axis is the query that looks."""
    valid = _mask(*names)
    want = torch.tensor([[[[bool(x)] for x in PADS[name]]] for name in names])
    expect.mask(student.padding_query_mask(valid), want, MASK)


def _allowed(valid: Tensor, causal: bool) -> Tensor:
    """Bool [B, 1, T, T], entry by entry from the definition."""
    t = range(valid.shape[-1])
    return torch.tensor(
        [[[[bool(row[i]) and bool(row[j]) and (j <= i or not causal) for j in t] for i in t]] for row in valid]
    )


@criterion("combined_mask")
@pytest.mark.parametrize(
    "names, causal",
    [
        (("right", "left", "scattered"), True),
        (("right", "left", "scattered"), False),
        (("inner", "none", "all", "left", "right", "all", "inner"), True),
        (("inner", "none", "all", "left", "right", "all", "inner"), False),
    ],
)
def test_all_conditions_hold_together(student, names, causal):
    """Entry (i, j) is True only where query i and key j are real tokens and, if causal, j does not come after i."""
    batches = [_mask(*names), _mask(*reversed(names))]  # both are asked before either is judged
    for valid, mask in [(valid, student.combined_mask(valid, causal=causal)) for valid in batches]:
        expect.mask(mask, _allowed(valid, causal), MASK)


@criterion("combined_mask")
def test_without_padding_the_triangle_is_left(student):
    """Where all tokens are real the causal mask alone is left; with padding it is another mask."""
    expect.mask(student.combined_mask(_mask("none"), causal=True), _allowed(_mask("none"), True), MASK)
    padded = expect.tensor(student.combined_mask(_mask("inner"), causal=True), (1, 1, T, T), torch.bool, MASK)
    still = Text(en="combined_mask gives the same whatever the padding is", zh="不论填充在哪里，combined_mask 都不变")
    expect.that(not torch.equal(padded, _allowed(_mask("none"), True)), still)


@criterion("combined_mask")
def test_combined_mask_is_causal_unless_told_otherwise(student, rng):
    """Without a word the mask is causal; causal may come by position; the mask handed in stays as it was."""
    valid = rng.keep(3, 5)
    call = student.watch("combined_mask", valid)
    expect.mask(call.value, _allowed(valid, True), MASK)
    expect.mask(student.combined_mask(valid, False), _allowed(valid, False), MASK)
    expect.unchanged(call, valid, what=(Text(en="valid", zh=" valid"),))


# -- padding is never seen ------------------------------------------------------------------------


def _expect_still(before: Tensor, after: Tensor, rows: Tensor, what_changed: Text) -> None:
    """Rows [T] of the values [1, H, T, D] hold something and did not move."""
    expect.finite(before[:, :, rows], VALUES)
    expect.that(
        bool((before[:, :, rows].abs().amax(-1) > HIDDEN).all()),
        Text(
            en="the values of a real token are all 0: what does True mean in your mask?",
            zh="真实 token 的 values 全为 0：你的掩码里 True 表示什么？",
        ),
    )
    moved = (_moved(before, after).any(0).any(0) & rows).nonzero()
    if len(moved):
        i = int(moved[0])
        expect.that(
            False,
            Text(
                en=f"{what_changed.en} changed the values of query {i}, a real token (counted from 0)",
                zh=f"{what_changed.zh}之后，第 {i} 个 query（真实 token）的 values 变了（从 0 数起）",
            ),
        )


OTHER_PADDING = Text(en="other numbers in the padding tokens", zh="把填充 token 换成别的数")
CUT_AWAY = Text(en="cutting the padding tokens away", zh="去掉填充 token ")


def _expect_padding_does_not_matter(student, rng, pads: str, moves: str, causal: bool, dtype: str = "float64") -> None:
    """New q, k or v in the padding tokens leave every valid row as it is."""
    valid = _mask(pads)
    inputs = _draw(rng, dtype)
    other = [
        _with_garbage(rng, x, ~valid[0], size) if name in moves else x
        for name, x, size in zip("qkv", inputs, (20.0, 8.0, 50.0), strict=True)
    ]
    before, after = (_values(_attend(student, *x, causal, valid), SHAPE).detach().double() for x in (inputs, other))
    _expect_still(before, after, valid[0], OTHER_PADDING)


@criterion("padding_unseen")
@pytest.mark.parametrize("pads, moves", [("left", "qkv"), ("right", "k"), ("inner", "v"), ("scattered", "kv")])
def test_padding_content_does_not_matter(student, rng, pads, moves):
    """Other numbers in the padding tokens change nothing in the rows of real tokens."""
    _alive(student, rng, _values)
    _expect_padding_does_not_matter(student, rng, pads, moves, causal=False)


@criterion("padding_unseen")
@pytest.mark.parametrize("pads, dtype", [("left", "float64"), ("right", "float32"), ("inner", "float64")])
def test_padded_equals_cut(student, rng, pads, dtype):
    """A padded sequence gives its real tokens the same values as the sequence without its padding."""
    _alive(student, rng, _values)
    valid = _mask(pads)
    q, k, v = _draw(rng, dtype)
    padded = _values(_attend(student, q, k, v, False, valid), SHAPE).detach().double()
    short = [x[:, :, valid[0]].contiguous() for x in (q, k, v)]
    n = int(valid.sum())
    everyone = torch.ones(1, n, dtype=torch.bool)
    alone = _attend(student, *short, False, everyone)
    cut = torch.zeros_like(padded)
    cut[:, :, valid[0]] = _values(alone, (1, 3, n, D)).detach().double()
    _expect_still(padded, cut, valid[0], CUT_AWAY)


def _scores_as_wanted(rng, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """q and k whose dot products, divided by sqrt(D), are ``wanted`` [1, H, T, T]."""
    q, k = torch.zeros(SHAPE, dtype=torch.float64), torch.zeros(SHAPE, dtype=torch.float64)
    q[..., :T] = wanted * D**0.5 / 8
    q[..., T:] = rng(1, 3, T, D - T)
    k[..., :T] = 8 * torch.eye(T, dtype=torch.float64)
    return q, k


def _expect_hidden(student, q: Tensor, k: Tensor, valid: Tensor, causal: bool) -> None:
    """Rows of valid queries have no weight on what they may not see."""
    result = _attend(student, q, k, _identity(q), causal, valid)
    weights = _weights(result, SHAPE, valid[0])
    rows = weights[:, :, valid[0]]
    expect.finite(rows, WEIGHTS)
    expect.below(torch.where(_allowed(valid, causal) | ~valid[0][:, None], 0.0, weights), HIDDEN, WEIGHTS)


@criterion("padding_unseen")
@pytest.mark.parametrize("pads", ["left", "inner"])
def test_tempting_padding_gets_no_weight(student, rng, pads):
    """Where padding matches a query far better than any real token, it still gets no weight."""
    _alive(student, rng, _some_weights)
    valid = _mask(pads)
    wanted = torch.where(valid[0], -30.0, 30.0) + rng(1, 3, T, T)
    _expect_hidden(student, *_scores_as_wanted(rng, wanted), valid, causal=False)


@criterion("padding_unseen")
def test_equal_scores_do_not_open_the_padding(student, rng):
    """Where all dot products are 0, padding tokens still have no weight."""
    _alive(student, rng, _some_weights)
    k = rng(*SHAPE)
    for pads in ("right", "scattered"):
        _expect_hidden(student, torch.zeros_like(k), k, _mask(pads), causal=False)


# -- rows of real tokens sum to one; the two results ----------------------------------------------


@criterion("valid_rows_sum_to_one")
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_values_and_weights_come_as_a_pair(student, rng, dtype):
    """The function returns the tuple (values, weights) with the right shapes and the dtype of its inputs."""
    _alive(student, rng, _values, _some_weights)
    for shape, valid in ((SHAPE, _mask("inner")), ((1, 1, 1, 3), _mask("none")[:, :1])):
        q, k, v = (rng(*shape, dtype=_dtype(dtype)) for _ in range(3))
        values, weights = expect.pair(_attend(student, q, k, v, True, valid), RESULT)
        expect.tensor(values, shape, _dtype(dtype), VALUES)
        expect.tensor(weights, (*shape[:3], shape[2]), _dtype(dtype), WEIGHTS)


@criterion("valid_rows_sum_to_one")
@pytest.mark.parametrize(
    "pads, causal, dtype", [("inner", False, "float64"), ("right", True, "float32"), ("left", True, "float64")]
)
def test_weights_of_a_real_token_sum_to_one(student, rng, pads, causal, dtype):
    """The weights of every query that is a real token sum to 1, and none is negative."""
    _alive(student, rng, _some_weights)
    valid = _mask(pads)
    q, k, _ = _draw(rng, dtype)
    result = _attend(student, q, k, _identity(q), causal, valid)
    second = _second(result, SHAPE)
    weights = (_weights(result, SHAPE, valid[0]) if second is None else second).detach().double()[:, :, valid[0]]
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
        what=Text(en="the sum of a real token's weights", zh="一个真实 token 的权重之和"),
        axes=("batch", "head", "real token"),
    )


@criterion("valid_rows_sum_to_one")
def test_weights_are_the_ones_that_were_used(student, rng):
    """The weights that are returned are those the values were averaged with."""
    _alive(student, rng, _values, _some_weights)
    valid = _mask("scattered")
    q, k, _ = _draw(rng)
    values, weights = expect.pair(_attend(student, q, k, _identity(q), True, valid), RESULT)
    expect.tensor(values, SHAPE, what=VALUES)
    expect.tensor(weights, (1, 3, T, T), what=WEIGHTS)
    real = valid[0]  # what lies on padding is padding_unseen's
    used, shown = (x.detach().double()[:, :, real][..., real] for x in (values[..., :T], weights))
    if not bool((torch.isfinite(shown) & (shown >= 0)).all()) or not bool((shown.sum(-1) > 0).all()):
        return  # no weights at all: the row sums speak about that
    expect.finite(used, VALUES)
    expect.same(
        shown * used.sum(-1, keepdim=True),
        used * shown.sum(-1, keepdim=True),
        atol=ATOL,
        rtol=RTOL,
        why=Text(
            en="the values are not the average of v under the weights that were returned",
            zh="values 并不是 v 按返回的 weights 加权得到的",
        ),
    )


# -- rows of padding are zero ---------------------------------------------------------------------


def _expect_zero(rows: Tensor, what: Text) -> None:
    """All zero. NaN is passed over: no_nan charges for it."""
    expect.below(torch.where(torch.isnan(rows), 0.0, rows), HIDDEN, what, ("batch", "head", "padding token", "feature"))


@criterion("padding_queries_zero")
@pytest.mark.parametrize("pads, causal", [("left", False), ("right", True), ("inner", False)])
def test_values_of_padding_are_zero(student, rng, pads, causal):
    """The values of every padding query are 0."""
    _alive(student, rng, _values)
    valid = _mask(pads)
    values = _values(_attend(student, *_draw(rng), causal, valid), SHAPE)
    _expect_zero(values.detach()[:, :, ~valid[0]], Text(en="the values of padding", zh="填充 token 的 values "))


@criterion("padding_queries_zero")
@pytest.mark.parametrize("pads, causal", [("right", False), ("scattered", True), ("left", False)])
def test_weights_of_padding_are_zero(student, rng, pads, causal):
    """The weights of every padding query are 0."""
    _alive(student, rng, _some_weights)
    valid = _mask(pads)
    q, k, _ = _draw(rng)
    result = _attend(student, q, k, _identity(q), causal, valid)
    name = Text(en="the weights of padding", zh="填充 token 的 weights ")
    _expect_zero(_weights(result, SHAPE, valid[0])[:, :, ~valid[0]], name)
    second = _second(result, SHAPE)
    if second is not None and _are_weights(second, valid[0]):
        _expect_zero(second.detach()[:, :, ~valid[0]], name)


# -- no NaN ---------------------------------------------------------------------------------------


def _leaves(rng, dtype: str = "float64") -> list[Tensor]:
    return [x.requires_grad_() for x in _draw(rng, dtype)]


@criterion("no_nan")
@pytest.mark.parametrize("pads, causal", [("left", True), ("inner", False), ("all", True), ("all", False)])
def test_nothing_is_nan(student, rng, pads, causal):
    """Values and weights are finite, also in rows that see nothing at all."""
    _alive(student, rng, _values)
    dtype = "float64" if pads == "left" else "float32"
    result = _attend(student, *_draw(rng, dtype), causal, _mask(pads))
    expect.finite(_values(result, SHAPE).detach(), VALUES)
    second = _second(result, SHAPE)
    if second is not None:
        expect.finite(torch.where(torch.isinf(second), 0.0, second).detach(), WEIGHTS)  # inf: scores, charged as such


@criterion("no_nan")
@pytest.mark.parametrize(
    "pads, causal, dtype", [("left", True, "float64"), ("scattered", True, "float32"), ("inner", False, "float64")]
)
def test_gradients_hold_no_nan(student, rng, pads, causal, dtype):
    """Gradients through values and weights reach q, k and v, and all are finite."""
    _alive(student, rng, _values)
    leaves = _leaves(rng, dtype)
    result = _attend(student, *leaves, causal, _mask(pads))
    expect.gradients(_values(result, SHAPE), leaves[:2], ("q", "k"))
    _expect_finite_gradients(_values(result, SHAPE), leaves)
    second = _second(result, SHAPE)
    if second is not None:
        expect.gradients(second, leaves[:2], ("q", "k"))


@criterion("no_nan")
@pytest.mark.parametrize("causal", [True, False])
def test_gradients_of_a_sample_of_padding_are_finite(student, rng, causal):
    """Where a sample is all padding, whatever gradient comes back is finite."""
    _alive(student, rng, _values)
    leaves = _leaves(rng)
    values = _values(_attend(student, *leaves, causal, _mask("all")), SHAPE)
    expect.finite(values.detach(), VALUES)
    if values.requires_grad:  # zeros that were never computed from q, k and v have no gradient
        _expect_finite_gradients(values, leaves)


def _expect_finite_gradients(values: Tensor, leaves: list[Tensor]) -> None:
    found = torch.autograd.grad(values.sum(), leaves, allow_unused=True)
    for name, grad in zip("qkv", found, strict=True):
        if grad is not None:
            expect.finite(grad, Text(en=f"the gradient of {name}", zh=f"{name} 的梯度"))


# -- both masks together --------------------------------------------------------------------------


@criterion("causal_and_padding")
def test_no_mask_means_all_are_real(student, rng):
    """Without a padding mask the function does what it does with a mask of nothing but True."""
    _alive(student, rng, _values)
    why = Text(
        en="padding_mask=None and a mask that is all True give different values",
        zh="padding_mask=None 与全 True 的掩码给出了不同的 values",
    )
    q, k, v = _draw(rng)
    for causal in (True, False):
        masked = _values(_attend(student, q, k, v, causal, _mask("none")), SHAPE).detach()
        for result in (
            student.masked_attention(q, k, v, causal=causal),
            student.masked_attention(q, k, v, causal=causal, padding_mask=None),
        ):
            expect.same(_values(result, SHAPE), masked, atol=ATOL, rtol=RTOL, what=VALUES, why=why)


def _expect_no_leak(student, rng, pads: str) -> None:
    """Under both masks, moving the valid token j leaves the valid rows i < j as they are. A head for each j."""
    valid = _mask(pads)
    later = [j for j in range(T) if bool(valid[0, j])][1:]
    shape = (1, len(later), T, D)
    q, k, v = 0.5 * rng(*shape), rng(*shape), rng(*shape)
    k2, v2 = k.clone(), v.clone()
    for head, j in enumerate(later):
        k2[:, head, j], v2[:, head, j] = 3 * rng(1, D), v[:, head, j] + 30
    before = _values(_attend(student, q, k, v, True, valid), shape).detach().double()
    after = _values(_attend(student, q, k2, v2, True, valid), shape).detach().double()
    for head, j in enumerate(later):
        one, earlier = slice(head, head + 1), valid[0] & (torch.arange(T) < j)
        said = Text(en=f"changing the later token {j}", zh=f"改动排在后面的第 {j} 个 token ")
        _expect_still(before[:, one], after[:, one], earlier, said)


@criterion("causal_and_padding")
@pytest.mark.parametrize("pads", ["none", "left", "inner"])
def test_the_future_stays_hidden_beside_padding(student, rng, pads):
    """With a padding mask given, changing a real token still changes no real row before it."""
    _alive(student, rng, _values)
    _expect_no_leak(student, rng, pads)


@criterion("causal_and_padding")
@needs("padding_unseen")
@pytest.mark.parametrize("pads", ["left", "scattered"])
def test_padding_stays_hidden_beside_causal(student, rng, pads):
    """With causal=True, padding before a real token reaches it no more than without."""
    _alive(student, rng, _values)
    _expect_padding_does_not_matter(student, rng, pads, "qkv", causal=True)


@criterion("causal_and_padding")
def test_what_is_allowed_is_seen(student, rng):
    """A real token gives some weight to every real token it may see, itself among them."""
    _alive(student, rng, _some_weights)
    for pads, causal in (("scattered", True), ("inner", False), ("left", True)):
        valid = _mask(pads)
        q, k = 0.3 * rng(*SHAPE), 0.3 * rng(*SHAPE)
        weights = _weights(student.masked_attention(q, k, _identity(q), causal, valid), SHAPE, valid[0])
        low = _allowed(valid, causal) & ~(weights > SEEN)
        if bool(low.any()):
            _, _, i, j = (int(n) for n in low.nonzero()[0])
            expect.that(
                False,
                Text(
                    en=f"with causal={causal}, query {i} gives token {j} no weight, though both are real "
                    "and it may look there (counted from 0)",
                    zh=f"causal={causal} 时，第 {i} 个 query 没有给第 {j} 个 token 权重，"
                    "而两者都是真实 token、本可以看到（从 0 数起）",
                ),
            )


@criterion("causal_and_padding")
def test_causal_is_the_default_and_the_mask_stays(student, rng):
    """Without a word the attention is causal; the padding mask handed in stays as it was."""
    _alive(student, rng, _values)
    valid = _mask("inner")
    q, k, v = _draw(rng)
    call = student.watch("masked_attention", q, k, v, True, valid)
    said = _values(call.value, SHAPE).detach().double()
    unsaid = _values(student.masked_attention(q, k, v, padding_mask=valid), SHAPE).detach().double()
    expect.finite(said[:, :, valid[0]], VALUES)
    expect.that(
        not bool((_moved(said, unsaid).any(0).any(0) & valid[0]).any()),
        Text(en="causal=True and the default give different values", zh="causal=True 与默认情形的 values 不同"),
    )
    expect.unchanged(
        call, q, k, v, True, valid, what=("q", "k", "v", "causal", Text(en="the padding mask", zh="填充掩码"))
    )


# -- samples --------------------------------------------------------------------------------------


@criterion("samples_independent")
@pytest.mark.parametrize(
    "h, names, causal",
    [
        (3, ("right", "left", "inner", "none"), False),
        (3, ("left", "none", "scattered"), True),
        (2, ("scattered", "right", "none", "left", "inner", "right", "left"), False),
    ],
)
def test_a_batch_equals_its_samples(student, rng, h, names, causal):
    """Each sample of a ragged batch gets what it gets alone, with its own mask."""
    _alive(student, rng, _values)
    valid = _mask(*names)
    b = len(names)
    q, k, v = 0.5 * rng(b, h, T, D), rng(b, h, T, D), rng(b, h, T, D)
    together = _values(_attend(student, q, k, v, causal, valid), (b, h, T, D)).detach().double()
    for n in range(0, b, 2 if b > 4 else 1):
        one = slice(n, n + 1)
        alone = _values(_attend(student, q[one], k[one], v[one], causal, valid[one]), (1, h, T, D)).detach().double()
        moved = _moved(alone, together[one])[:, :, valid[n]]
        expect.that(
            not bool(moved.any()),
            Text(
                en=f"sample {n} of a batch of {b} gets other values than alone: is the mask its own?",
                zh=f"{b} 个样本的批次里，第 {n} 个样本的 values 与单独计算时不同：用的是它自己的掩码吗？",
            ),
        )
