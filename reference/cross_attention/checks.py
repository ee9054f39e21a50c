"""Hidden checks of cross_attention.

The function is looked at through its output with V = identity, so a wrong form of the result costs ``shapes`` alone;
its numbers are compared at its own measured scale, since the scale belongs to ``given_weights``. Squares come first:
unequal lengths belong to ``shapes``. The module's padding and dropout are properties, shown with parameters of any
name, with one head first. A property counts only for code that attends (``_function_alive``, ``_alive``).
"""

import math

import pytest
import torch
from torch.func import functional_call

from grader.checks import Text, criterion, differences, expect, needs, output_of, weights_of

ATOL, RTOL = 1e-5, 1e-4
GRADIENT_ATOL, GRADIENT_RTOL = 1e-4, 1e-3
STILL, BENT = 1e-5, 3e-4  # a row that did not move; an output that is no straight line
OUT, WEIGHTS = Text(en="the output", zh="输出"), Text(en="the weights", zh="权重")
READ = Text(en="the weights, read from the output with V = identity", zh="权重（V 取单位矩阵时由输出读出）")
OUT_AXES, TABLE_AXES = ("batch", "query", "feature"), ("batch", "query", "key")
DEAD = Text(
    en="the output is not that of attention: it ignores an input, is a straight line in it, or differs each time",
    zh="输出不像注意力的输出：它与某个输入无关、只随它线性变化，或者每次调用都不一样",
)
NO_EFFECT = Text(en="the mask of the memory has no effect", zh="memory 的掩码没有作用")
PARTS = ("q_proj", "k_proj", "v_proj", "out_proj")


# -- the function: is it attention, and what are its weights? ------------------------------------


def _read(student, q, k, *mask):
    """The weights ``[B, Tq, Tk]`` of the function in float64, finite, whatever the form of its result."""
    weights = weights_of(student.scaled_dot_attention, q, k, *mask).detach().to(torch.float64)
    return expect.finite(weights, READ, TABLE_AXES)


def _function_alive(student, rng):
    """Pass only if weights repeat, differ within a row and move with q and k, and the output moves with v."""
    q, k = rng(2, 4, 5), rng(2, 4, 5)
    here, again, by_q, by_k = (_read(student, *qk) for qk in ((q, k), (q, k), (rng(2, 4, 5), k), (q, rng(2, 4, 5))))
    expect.same(here, again, atol=STILL, rtol=0, why=DEAD)
    for other in (by_q, by_k, here.roll(1, dims=-1)):
        expect.differs(here, other, by=1e-2, why=DEAD)
    one, other = (student.scaled_dot_attention(q, k, rng(2, 4, 6)) for _ in range(2))
    if not _averages_keys(one, k):  # which of the two it averages belongs to weighted_values
        one, other = output_of(one, (2, 4, 6), OUT), output_of(other, (2, 4, 6), OUT)
        expect.differs(one, other, by=1e-2, why=DEAD)
    return here


def _averages_keys(value, k):
    """Whether the result holds weights and, instead of an average of the values, that of the keys."""
    if not isinstance(value, tuple | list) or not all(isinstance(t, torch.Tensor) for t in value):
        return False
    shapes = {tuple(t.shape[2:]): t.detach().to(torch.float64) for t in value if t.dim() == 3 and len(t) == len(k)}
    weights, out = shapes.get((k.shape[1],)), shapes.get((k.shape[2],))
    if weights is None or out is None or out.shape[:2] != weights.shape[:2]:
        return False
    return bool(((out - weights @ k.to(torch.float64)).abs() < 1e-4).all())


def _measured(student, rng, features, time):
    """Double differences of the function's log-weights, the same of q kT, and the sum of a row of weights."""
    q, k = 0.7 * rng(2, time, features), 0.7 * rng(2, time, features)
    weights = expect.positive(_read(student, q, k), (2, time, time), READ)
    return differences(weights.log()), differences(q @ k.mT), float(weights.sum(dim=-1).mean())


def _own(student, rng, features, time, wide):
    """(factor relative to 1/sqrt(D), row sum) to compare numbers at: the right ones where the student's are."""
    found, plain, row = _measured(student, rng, features, time)
    ratio = math.sqrt(features) * float((found * plain).sum() / (plain * plain).sum())
    right = abs(ratio - 1) < 1e-3 or abs(ratio) < 1e-3  # uniform weights have no scale
    if not right and abs(ratio * math.sqrt(time / features) - 1) < 1e-3:
        ratio = math.sqrt(features / wide)  # the size of the values, which were as wide as there are keys
    return 1.0 if right else ratio, 1.0 if abs(row - 1) < 1e-3 else row


def _wanted(reference, own, q, k, v):
    """(output, weights) of the reference at the student's own factor and row sum."""
    out, weights = reference.scaled_dot_attention(own[0] * q, k, v)
    return own[1] * out, own[1] * weights


# -- the module, with parameters of ours ---------------------------------------------------------


def _made(student, width, heads, **options):
    """A float32 module of the student's in eval mode, and its parameters by name."""
    module = student.MultiHeadCrossAttention(width, heads, **options)
    module.eval_()
    names = module.parameters_()
    if any(parameter.dtype != torch.float32 for parameter in names.values()):
        module.to_(torch.float32)  # a default dtype of the student's own
    return module, names


def _filled(made, rng):
    """The module with moderate random numbers in its parameters: no start value is left.

    Where all that the contract names is there, only that: more of a student's own (a temperature, say) starts as meant.
    """
    module, names = made
    values = {}
    for name, parameter in (_named_in_the_contract(names) or names).items():
        drawn = rng(*parameter.shape)
        values[name] = 0.6 * drawn / math.sqrt(parameter.shape[-1]) if parameter.dim() > 1 else 0.3 * drawn
    module.load_(values)
    return module


def _load_as_in(module, other):
    """Copy the parameters of another module of the class; those that the contract does not name stay where they can."""
    names = other.parameters_()
    module.load_(_named_in_the_contract(names) or names)


def _named_in_the_contract(names):
    """The eight parameters of the contract by name, or none where one is absent or has another shape."""
    found = {name: names[name] for part in PARTS for name in (f"{part}.weight", f"{part}.bias") if name in names}
    width = found["out_proj.weight"].shape[-1] if "out_proj.weight" in found else 0
    return found if [tuple(p.shape) for p in found.values()] == [(width, width), (width,)] * 4 else {}


def _layers(names, width):
    """How many of the four parts each layer holds: the contract's layers, or those in order where the names differ."""
    weights = {n[:-7]: p for n, p in names.items() if n.endswith(".weight") and p.dim() == 2}
    parts = {layer: p.shape[0] // width for layer, p in weights.items() if p.shape[1] == width}
    return dict.fromkeys(PARTS, 1) if set(PARTS) <= set(parts) or sum(parts.values()) != 4 else parts


def _by_layer(layers, four):
    """Four tensors (query, key, value, output), those of a packed layer joined."""
    rest = iter(four)
    return {layer: torch.cat([next(rest) for _ in range(count)]) for layer, count in layers.items() if count}


def _load(made, weights, biases):
    """Load the four parts by name; gives back the biases, with zeros for those that are absent."""
    module, names = made
    width = weights[0].shape[0]
    layers = _layers(names, width)
    values, there = {}, []
    joined = _by_layer(layers, biases)
    for layer, weight in _by_layer(layers, weights).items():
        values[f"{layer}.weight"], bias = weight, joined[layer]
        has_bias = f"{layer}.bias" in names and names[f"{layer}.bias"].shape == bias.shape
        if has_bias:
            values[f"{layer}.bias"] = bias
        there += [b.clone() if has_bias else torch.zeros_like(b) for b in bias.split(width)]
    module.load_(values)
    return there


def _drawn(rng, width, dtype=torch.float32):
    """Weights and biases to give, under which attention is neither flat nor one-hot."""
    weights = [(0.9 * rng(width, width) / math.sqrt(width)).to(dtype) for _ in PARTS]
    return weights, [(0.4 * rng(width)).to(dtype) for _ in PARTS]


def _run(module, x, memory, rows=None, **named):
    """The output in float64, whatever form the result has; finite (in ``rows`` [B], if given)."""
    got = output_of(module(x, memory, **named), tuple(x.shape), OUT).detach().to(torch.float64)
    expect.finite(got if rows is None else got[rows], OUT, OUT_AXES)
    return got


def _bends(module, rng, width):
    """(how far the output is from a straight line in the memory, in x, how far x moves it); 0 if calls differ."""
    x, other, x_step = (rng(1, 4, width, dtype=torch.float32) for _ in range(3))
    memory, step = (rng(1, 4, width, dtype=torch.float32) for _ in range(2))
    queries = torch.cat([x, x, x, x, other, x + x_step, x - x_step])
    memories = torch.cat([memory, memory, memory + step, memory - step, memory, memory, memory])
    here, again, there, back, asked, up, down = _run(module, queries, memories)
    if bool((here - again).abs().max() >= STILL):
        return 0.0, 0.0, 0.0
    return tuple(float(t.abs().max()) for t in (there + back - 2 * here, up + down - 2 * here, asked - here))


def _alive(module, rng, width):
    """Pass only if the module attends to the memory; returns it."""
    by_memory, _, moved = _bends(module, rng, width)
    expect.that(min(by_memory, moved) > BENT, DEAD)
    return module


def _alive_anywhere(module, rng, width):
    """Pass only if the module attends, be it to x: which of the two is asked belongs to given_weights."""
    by_memory, by_x, moved = _bends(module, rng, width)
    expect.that(max(min(by_memory, moved), by_x) > BENT, DEAD)
    return module


def _class_alive(student, rng):
    """Pass only if the class makes something that attends: with one head, or else with three."""
    by_memory, by_x, moved = _bends(_filled(_made(student, 12, 1), rng), rng, 12)
    if max(min(by_memory, moved), by_x) <= BENT:
        _alive_anywhere(_filled(_made(student, 12, 3), rng), rng, 12)


def _spelled(student, rng, time, **options):
    """A module with one head whose values spell out their token: feature c stands for token c mod T."""
    width = 3 * time
    made = _made(student, width, 1, **options)
    tokens, sizes = rng(time, width), torch.linspace(0.5, 0.9, time, dtype=torch.float64)
    rows = (torch.linalg.pinv(tokens) * sizes)[:, torch.arange(width) % time].T
    _load(made, [torch.zeros(width, width)] * 3 + [torch.eye(width)], [torch.zeros(width)] * 4)
    idle = _run(made[0], tokens.float()[None], tokens.float()[None])  # x itself, where a residual is added inside
    _load(made, [rows, rows, rows, torch.eye(width)], [torch.zeros(width)] * 4)
    return made[0], tokens.float(), sizes, idle


def _weights_read(spelled, batch):
    """The weights of a ``_spelled`` module over its tokens, read from its output three times over: ``[3, B, T, T]``."""
    module, tokens, sizes, idle = spelled
    memory = tokens.expand(batch, *tokens.shape).contiguous()
    out = _run(module, memory, memory) - idle
    return out.unflatten(-1, (3, len(tokens))).movedim(2, 0) / sizes


def _expected(reference, heads, weights, biases, x, memory):
    """(output, weights) of the reference module under given weights."""
    width = x.shape[-1]
    module = reference.MultiHeadCrossAttention(width, heads).to(x.dtype).eval()
    values = {f"{part}.weight": weight for part, weight in zip(PARTS, weights, strict=True)}
    values |= {f"{part}.bias": bias for part, bias in zip(PARTS, biases, strict=True)}
    return functional_call(module, values, (x, memory, None, True))


def _gradient(name):
    return Text(en=f"the gradient of {name}", zh=f"{name} 的梯度")


# -- shapes --------------------------------------------------------------------------------------


@criterion("shapes")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_function_gives_output_and_weights(student, rng, dtype):
    """The function gives the tuple (output [B, Tq, Dv], weights [B, Tq, Tk]) in the dtype of its inputs."""
    _function_alive(student, rng)
    kind = getattr(torch, dtype)
    for batch, t_q, t_k, features, wide in ((2, 3, 5, 4, 7), (3, 6, 2, 5, 1), (1, 1, 4, 3, 6)):
        q, k, v = (rng(batch, *size, dtype=kind) for size in ((t_q, features), (t_k, features), (t_k, wide)))
        value = student.scaled_dot_attention(q, k, v)
        out, weights = expect.pair(value)
        expect.tensor(out, (batch, t_q, features if _averages_keys(value, k) else wide), kind, OUT)
        expect.tensor(weights, (batch, t_q, t_k), kind, WEIGHTS)


@criterion("shapes")
def test_module_gives_its_output_alone(student, rng):
    """The module gives one tensor of the shape of x, also where the memory has another length."""
    _class_alive(student, rng)
    for width, heads, t_q, t_k in ((8, 1, 3, 5), (12, 3, 6, 4), (10, 2, 1, 7)):
        module = _filled(_made(student, width, heads), rng)
        x, memory = rng(2, t_q, width, dtype=torch.float32), rng(2, t_k, width, dtype=torch.float32)
        expect.tensor(module(x, memory), (2, t_q, width), torch.float32, OUT)


@criterion("shapes")
def test_module_gives_weights_when_asked(student, rng):
    """With return_weights=True the module gives the tuple (output, weights [B, H, Tq, Tk])."""
    _class_alive(student, rng)
    asked = Text(en="the result with return_weights=True", zh="return_weights=True 时的结果")
    for width, heads, t_q, t_k in ((8, 1, 3, 5), (12, 3, 6, 4)):
        module = _filled(_made(student, width, heads), rng)
        x, memory = rng(2, t_q, width, dtype=torch.float32), rng(2, t_k, width, dtype=torch.float32)
        out, weights = expect.pair(module(x, memory, return_weights=True), asked)
        expect.tensor(out, (2, t_q, width), torch.float32, OUT)
        expect.tensor(weights, (2, heads, t_q, t_k), torch.float32, WEIGHTS)


@criterion("shapes")
def test_module_keeps_float64(student, rng):
    """In float64 everything the module gives is float64."""
    _class_alive(student, rng)
    module = _filled(_made(student, 12, 3), rng)
    module.to_(torch.float64)
    x, memory = rng(2, 3, 12), rng(2, 5, 12)
    expect.tensor(output_of(module(x, memory), (2, 3, 12), OUT), (2, 3, 12), torch.float64, OUT)
    value = module(x, memory, return_weights=True)
    for t in value if isinstance(value, tuple | list) else (value,):
        expect.tensor(t, dtype=torch.float64, what=Text(en="a result", zh="结果"))


# -- masks of the function -----------------------------------------------------------------------

KEPT = {  # 1 = visible; every row and every column keeps one and drops one
    "square": [[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 1, 0]],
    "square, other": [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 1, 0, 1]],
    "wide": [[1, 0, 0, 1, 0], [0, 1, 1, 0, 1], [1, 0, 1, 1, 0]],
    "wide, other": [[0, 1, 1, 0, 1], [1, 0, 0, 1, 1], [0, 1, 1, 1, 0]],
}
MASK_KINDS = {"bool": torch.bool, "int": torch.int64, "float": torch.float32}


def _masks(which, form):
    """(what to hand over, what it means for two samples)."""
    one, two = (torch.tensor(KEPT[name], dtype=torch.bool) for name in (which, f"{which}, other"))
    if form == "[B, Tq, Tk]":
        return torch.stack([one, two]), torch.stack([one, two])
    return one if form == "[Tq, Tk]" else one[None], torch.stack([one, one])


def _check_mask(student, rng, which, form, kind):
    """With queries of zeros the visible keys share evenly; with any queries the blocked ones weigh nothing."""
    mask, keep = _masks(which, form)
    mask = mask.to(MASK_KINDS[kind])
    t_q, t_k = mask.shape[-2:]
    keys = 0.6 * rng(2, t_k, 3)
    _function_alive(student, rng)
    blocked = Text(en="the weight of a blocked key", zh="被挡住的 key 的权重")
    unseen = Text(en="a visible key has no weight", zh="可见的 key 没有权重")
    for q in (0.6 * rng(2, t_q, 3), torch.zeros(2, t_q, 3, dtype=torch.float64)):
        weights, rows = _read(student, q, keys, mask), _read(student, q, keys).sum(dim=-1)
        expect.below(weights * ~keep, 1e-6, blocked, TABLE_AXES)
        expect.that(bool((weights[keep] > 1e-6).all()), unseen)
        if bool(rows.amax() - rows.amin() > 1e-3):
            return  # the softmax has the wrong axis, as weighted_values says: the row sums mean nothing
        sums = Text(en="the sum of a row of weights under a mask", zh="掩码之下一行权重之和")
        expect.close(weights.sum(dim=-1), rows, atol=ATOL, rtol=RTOL, what=sums, axes=("batch", "query"))


@criterion("mask_forms")
@pytest.mark.parametrize("form", ["[Tq, Tk]", "[1, Tq, Tk]", "[B, Tq, Tk]"])
@pytest.mark.parametrize("kind", ["bool", "int"])
def test_mask_blocks_in_every_form(student, rng, form, kind):
    """A blocked key weighs nothing and the others share the row, for every shape and kind of mask."""
    _check_mask(student, rng, "square", form, kind)


@criterion("mask_forms")
@needs("shapes")
def test_mask_blocks_where_lengths_differ(student, rng):
    """The same with three queries and five keys, and a mask of floating-point numbers."""
    for form in ("[Tq, Tk]", "[1, Tq, Tk]", "[B, Tq, Tk]"):
        _check_mask(student, rng, "wide", form, "float")


@criterion("mask_forms")
def test_a_table_is_shared_by_as_many_samples_as_queries(student, rng):
    """A mask of two axes is one table for all samples, also where there are just as many samples as queries."""
    _function_alive(student, rng)
    mask = torch.tensor(KEPT["square"], dtype=torch.bool)
    keep = mask.expand(4, 4, 4)
    weights = _read(student, 0.6 * rng(4, 4, 3), 0.6 * rng(4, 4, 3), mask)
    expect.below(weights * ~keep, 1e-6, Text(en="the weight of a blocked key", zh="被挡住的 key 的权重"), TABLE_AXES)
    expect.that(bool((weights[keep] > 1e-6).all()), Text(en="a visible key has no weight", zh="可见的 key 没有权重"))


@criterion("mask_forms")
def test_mask_beats_large_scores(student, rng):
    """A blocked key weighs nothing however well it fits, and a mask of ones changes nothing."""
    _function_alive(student, rng)
    q = torch.tensor([[[5.0], [5.0], [-5.0], [-5.0]]], dtype=torch.float64)
    k = torch.tensor([[[-8.5], [-8.5], [8.5], [8.5]]], dtype=torch.float64)
    keep = torch.tensor([[[1, 1, 0, 0]] * 2 + [[0, 0, 1, 1]] * 2]).bool()  # what fits is blocked, what does not is kept
    weights = _read(student, q, k, keep.long())
    expect.below(weights * ~keep, 1e-6, Text(en="the weight of a blocked key", zh="被挡住的 key 的权重"), TABLE_AXES)
    expect.that(bool((weights[keep] > 0.1).all()), Text(en="a visible key has no weight", zh="可见的 key 没有权重"))
    q, k = rng(2, 4, 3), rng(2, 4, 3)
    alike = Text(en="a mask of ones changes the output", zh="全为 1 的掩码改变了输出")
    with_ones = _read(student, q, k, torch.ones(4, 4))
    expect.same(with_ones, _read(student, q, k), atol=ATOL, rtol=RTOL, why=alike)


@criterion("mask_forms")
def test_function_leaves_its_inputs_alone(student, rng):
    """The function changes neither q, k, v nor the mask, and blocks all the same."""
    _check_mask(student, rng, "square", "[B, Tq, Tk]", "float")
    mask = _masks("square", "[B, Tq, Tk]")[0].float()
    q, k, v = rng(2, 4, 3), rng(2, 4, 3), rng(2, 4, 5)
    names = ["q", "k", "v", Text(en="the mask", zh="掩码")]
    expect.unchanged(student.watch("scaled_dot_attention", q, k, v, mask), q, k, v, mask, what=names)


# -- values of the function ----------------------------------------------------------------------


def _check_values(student, reference, rng, size, dtype=torch.float64):
    batch, t_q, t_k, features, wide = size
    own = _own(student, rng, features, t_k, wide)
    q, k, v = (rng(batch, *shape, dtype=dtype) for shape in ((t_q, features), (t_k, features), (t_k, wide)))
    got = output_of(student.scaled_dot_attention(q, k, v), (batch, t_q, wide), OUT)
    want = _wanted(reference, own, q, k, v)[0]
    expect.close(got, want, atol=ATOL, rtol=RTOL, what=OUT, axes=OUT_AXES)


@criterion("weighted_values")
@pytest.mark.parametrize(("size", "dtype"), [((2, 4, 4, 6, 6), "float64"), ((3, 5, 5, 9, 9), "float32")])
def test_output_is_the_weighted_mean_of_the_values(student, reference, rng, size, dtype):
    """As many queries as keys: the output is the average of the values (at the scale your function uses)."""
    _function_alive(student, rng)
    _check_values(student, reference, rng, size, getattr(torch, dtype))


@criterion("weighted_values")
@needs("shapes")
def test_output_where_lengths_differ(student, reference, rng):
    """All sizes different: the output is the average of the values (at the scale your function uses)."""
    _function_alive(student, rng)
    for size in ((2, 3, 5, 4, 7), (3, 6, 2, 8, 1)):
        _check_values(student, reference, rng, size)


@criterion("weighted_values")
@needs("shapes")
def test_returned_weights_are_those_used(student, reference, rng):
    """The returned weights are the ones the output was made with."""
    own = _own(student, rng, 6, 5, 4)
    _function_alive(student, rng)
    q, k, v = rng(2, 3, 6), rng(2, 5, 6), rng(2, 5, 4)
    out, weights = expect.pair(student.scaled_dot_attention(q, k, v))
    expect.close(weights, _wanted(reference, own, q, k, v)[1], atol=ATOL, rtol=RTOL, what=WEIGHTS, axes=TABLE_AXES)
    expect.close(out, weights @ v, atol=ATOL, rtol=RTOL, what=OUT, axes=OUT_AXES)


@criterion("weighted_values")
def test_gradients_reach_q_k_and_v(student, reference, rng):
    """Gradients flow back to q, k and v, and are right (at the scale your function uses)."""
    own = _own(student, rng, 5, 4, 3)
    inputs = [rng(2, 4, 5).requires_grad_(), rng(2, 4, 5).requires_grad_(), rng(2, 4, 3).requires_grad_()]
    spread = rng(2, 4, 3)
    got = output_of(student.scaled_dot_attention(*inputs), (2, 4, 3), OUT)
    expect.gradients(got, inputs, ["q", "k", "v"])
    found = torch.autograd.grad((got * spread.to(got.dtype)).sum(), inputs)
    want = torch.autograd.grad((_wanted(reference, own, *inputs)[0] * spread).sum(), inputs)
    for name, a, b in zip("qkv", found, want, strict=True):
        expect.close(a, b, atol=GRADIENT_ATOL, rtol=GRADIENT_RTOL, what=_gradient(name), axes=OUT_AXES)


# -- parameters ----------------------------------------------------------------------------------


@criterion("parameters")
@pytest.mark.parametrize("layers", [["q_proj", "k_proj", "v_proj"], ["out_proj"]])
def test_layers_have_the_names_and_shapes_of_the_contract(student, rng, layers):
    """q_proj, k_proj, v_proj and out_proj go from d_model to d_model features, each with a bias."""
    _class_alive(student, rng)
    found = student.MultiHeadCrossAttention(10, 5).parameters_()
    names = ", ".join(list(found)[:12]) or "-"
    for layer in layers:
        for part, shape in ((f"{layer}.weight", (10, 10)), (f"{layer}.bias", (10,))):
            absent = Text(en=f"there is no parameter {part}, only: {names}", zh=f"没有参数 {part}，只有：{names}")
            expect.that(part in found, absent)
            expect.tensor(found[part], shape, what=Text(en=f"the parameter {part}", zh=f"参数 {part}"))


# -- given weights, and the scale ----------------------------------------------------------------


@criterion("given_weights")
@needs("shapes")
def test_function_scales_its_scores(student, rng):
    """The function divides the dot products by the square root of D."""
    found, plain, _ = _measured(student, rng, 9, 6)
    known = {"1": 1.0, "1/D": 1 / 9, "sqrt(D)": 3.0, "1/sqrt(Tk)": 1 / math.sqrt(6)}
    blurred = Text(en="the weights do not depend on the scores", zh="权重与分数无关")
    expect.that(bool(found.abs().max() > 1e-3), blurred)
    expect.factor(found, plain, 1 / 3, rtol=1e-3, known=known)


def _check_numbers(student, reference, rng, size, dtype=torch.float32):
    batch, t_q, t_k, width, heads = size
    made = module, _ = _made(student, width, heads)
    if dtype != torch.float32:
        module.to_(dtype)
    weights, biases = _drawn(rng, width, dtype)
    biases = _load(made, weights, biases)
    x, memory = rng(batch, t_q, width, dtype=dtype), rng(batch, t_k, width, dtype=dtype)
    want = _expected(reference, heads, weights, biases, x, memory)
    expect.close(_run(module, x, memory), want[0], atol=ATOL, rtol=RTOL, what=OUT, axes=OUT_AXES)
    return module(x, memory, return_weights=True), want


@criterion("given_weights")
@pytest.mark.parametrize("size", [(2, 4, 4, 8, 1), (3, 5, 5, 12, 3)])
def test_module_gives_the_right_numbers(student, reference, rng, size):
    """With given weights the module gives the right output; x and memory of one length."""
    _check_numbers(student, reference, rng, size)


@criterion("given_weights")
def test_right_numbers_where_lengths_differ(student, reference, rng):
    """With given weights the output is right in float64, lengths all different."""
    for size in ((2, 3, 5, 12, 4), (3, 7, 2, 10, 5)):
        _check_numbers(student, reference, rng, size, torch.float64)


@criterion("given_weights")
@needs("shapes")
def test_returned_tables_are_right(student, reference, rng):
    """With given weights the returned weights are right, one table for each head."""
    value, want = _check_numbers(student, reference, rng, (2, 3, 5, 12, 4))
    _, table = expect.pair(value)
    expect.close(table, want[1], atol=ATOL, rtol=RTOL, what=WEIGHTS)


@criterion("given_weights")
@pytest.mark.parametrize(("width", "heads"), [(8, 1), (12, 3)])
def test_every_parameter_gets_its_gradient(student, reference, rng, width, heads):
    """Gradients reach x, the memory and every parameter, and are right."""
    made = module, names = _made(student, width, heads)
    weights, biases = _drawn(rng, width)
    biases = [b.requires_grad_() for b in _load(made, weights, biases)]
    weights = [w.requires_grad_() for w in weights]
    x, memory = (rng(2, 4, width, dtype=torch.float32).requires_grad_() for _ in range(2))
    spread = rng(2, 4, width, dtype=torch.float32)
    got = output_of(module(x, memory), (2, 4, width), OUT)
    expect.gradients(got, [x, memory], ["x", "memory"])
    module.zero_grad_()
    found = torch.autograd.grad((got * spread.to(got.dtype)).sum(), [x, memory])
    grads = module.grads_()
    right = _expected(reference, heads, weights, biases, x, memory)[0]
    want = torch.autograd.grad((right * spread).sum(), [x, memory, *weights, *biases])
    close = {"atol": GRADIENT_ATOL, "rtol": GRADIENT_RTOL}
    for name, a, b in zip(("x", "memory"), found, want[:2], strict=True):
        expect.close(a, b, **close, what=_gradient(name), axes=OUT_AXES)
    layers = _layers(names, width)
    on = {f"{layer}.weight": grad for layer, grad in _by_layer(layers, want[2:6]).items()}
    on |= {f"{layer}.bias": grad for layer, grad in _by_layer(layers, want[6:]).items()}
    for part, should in on.items():
        if part in names:
            grad = expect.tensor(grads.get(part), what=_gradient(part))
            expect.close(grad, should, **close, what=_gradient(part), axes=("row", "column"))


# -- padding in the memory -----------------------------------------------------------------------

REAL = {  # three memories of five tokens (five, to be as many as tokens); 1 = a real token
    "right": [[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]],
    "left": [[0, 0, 1, 1, 1], [0, 1, 1, 1, 1], [0, 0, 0, 1, 1]],
    "inner": [[1, 0, 1, 1, 0], [0, 1, 0, 1, 1], [1, 1, 0, 0, 1]],
    "mixed": [[0, 1, 1, 1, 0], [1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 1, 1, 0]],
    "none": [[1, 1, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 0, 0, 0]],
}


def _real(where):
    return torch.tensor(REAL[where], dtype=torch.bool)


def _check_unseen(module, rng, width, real, t_q):
    """What stands in the padding of the memory moves no output; what stands in its real tokens moves every row."""
    batch, t_k = real.shape
    x, memory = rng(batch, t_q, width, dtype=torch.float32), rng(batch, t_k, width, dtype=torch.float32)
    garbage = torch.where(real[..., None], memory, rng.uniform(-9, 9, batch, t_k, width).float())
    step = rng(batch, t_k, width, dtype=torch.float32) * real[..., None]
    memories = torch.cat([memory, garbage, memory * real[..., None], memory + step, memory - step])
    out = _run(module, x.repeat(5, 1, 1), memories, memory_mask=real.repeat(5, 1))
    base, with_garbage, with_zeros, there, back = out.chunk(5)
    reached = Text(
        en="the output changes when only the padding of the memory does", zh="只改动 memory 的填充时，输出变了"
    )
    for other in (with_garbage, with_zeros):
        expect.same(other, base, atol=ATOL, rtol=RTOL, why=reached)
    blind = Text(
        en="with a mask the output ignores the real tokens of the memory",
        zh="给出掩码后，输出与 memory 的真实 token 无关",
    )
    expect.that(bool(((there - base).abs().amax(dim=-1) > STILL).all()), blind)
    expect.that(bool((there + back - 2 * base).abs().max() > BENT), DEAD)


def _check_by_itself(module, rng, width, real, t_q):
    """Every sample gets what it gets alone, its memory cut to the real tokens."""
    batch, t_k = real.shape
    x, memory = rng(batch, t_q, width, dtype=torch.float32), rng(batch, t_k, width, dtype=torch.float32)
    together = _run(module, x, memory, memory_mask=real)
    for sample in range(batch):
        one, cut = x[sample : sample + 1], memory[sample : sample + 1, real[sample]].contiguous()
        alone = _run(module, one, cut, memory_mask=torch.ones(1, cut.shape[1], dtype=torch.bool))
        apart = Text(
            en=f"sample {sample} of a padded batch gets another output than alone, without padding",
            zh=f"带填充的批次中，第 {sample} 个样本的输出与它单独（不带填充）时不同",
        )
        expect.same(together[sample], alone[0], atol=ATOL, rtol=RTOL, why=apart)


@criterion("memory_padding")
@pytest.mark.parametrize("where", ["right", "left", "inner"])
def test_padding_of_the_memory_moves_nothing(student, rng, where):
    """What stands in the padding of the memory (right, left or between) moves no output."""
    module = _alive(_filled(_made(student, 8, 1), rng), rng, 8)
    _check_unseen(module, rng, 8, _real(where), 5)


@criterion("memory_padding")
@needs("shapes", "given_weights")
def test_padding_is_unseen_in_every_head(student, rng):
    """With several heads and other lengths, too, padding moves no output (also where B = H or B = Tk)."""
    for width, heads in ((12, 3), (10, 5)):
        module = _alive(_filled(_made(student, width, heads), rng), rng, width)
        for where, t_q in (("left", 4), ("mixed", 2)):
            _check_unseen(module, rng, width, _real(where), t_q)
            _check_by_itself(module, rng, width, _real(where), t_q)


@criterion("memory_padding")
@needs("shapes")
def test_padded_batch_equals_each_sample_alone(student, rng):
    """Every sample gets the output it gets alone, with its memory cut to the real tokens (also where B = Tk)."""
    module = _alive(_filled(_made(student, 8, 1), rng), rng, 8)
    for where in ("inner", "mixed"):
        _check_by_itself(module, rng, 8, _real(where), 4)


@criterion("memory_padding")
@pytest.mark.parametrize("asked", ["output", "gradients"])
def test_empty_memory_gives_the_bias(student, rng, asked):
    """Where no token of the memory is real, the output is the bias of the output layer, and gradients are finite."""
    made = module, _ = _made(student, 8, 1)
    _alive(_filled(made, rng), rng, 8)
    weights, biases = _drawn(rng, 8)
    x, memory, real = rng(3, 5, 8, dtype=torch.float32), rng(3, 5, 8, dtype=torch.float32), _real("none")
    zero = torch.zeros(8, 8)
    _load(made, [zero, zero, zero, weights[3]], [*[torch.zeros(8)] * 3, biases[3]])
    of_zeros = _run(module, x, memory)[1]
    _load(made, weights, biases)
    plain = _run(module, x, memory)
    x, memory = x.requires_grad_(), memory.requires_grad_()
    got = output_of(module(x, memory, memory_mask=real), (3, 5, 8), OUT)
    expect.differs(expect.finite(got.detach(), OUT, OUT_AXES), plain, by=1e-3, why=NO_EFFECT)
    what = Text(en="the output for a memory without real tokens", zh="memory 没有真实 token 时的输出")
    expect.close(got[1], of_zeros, atol=ATOL, rtol=RTOL, what=what, axes=("query", "feature"))
    if asked == "output" or not got.requires_grad:
        return  # cut off from x and memory: given_weights says so
    module.zero_grad_()
    spread = rng(3, 5, 8).to(got.dtype)
    found = torch.autograd.grad((got * spread).sum(), [x, memory], allow_unused=True)
    for name, grad in {"x": found[0], "memory": found[1], **module.grads_()}.items():
        if grad is not None:
            expect.finite(grad.detach(), _gradient(name), ("row", "column"))


@criterion("memory_padding")
@needs("shapes")
def test_weights_of_padding_are_zero(student, rng):
    """In the returned weights the columns of padding are zero, those of real tokens are not."""
    module = _alive(_filled(_made(student, 8, 1), rng), rng, 8)
    real = _real("mixed")
    x, memory = rng(5, 3, 8, dtype=torch.float32), rng(5, 5, 8, dtype=torch.float32)
    _, weights = expect.pair(module(x, memory, memory_mask=real, return_weights=True))
    weights = expect.finite(expect.tensor(weights, (5, 1, 3, 5), what=WEIGHTS).detach(), WEIGHTS)
    seen = real[:, None, None, :].expand_as(weights)
    expect.below(weights * ~seen, 1e-6, Text(en="the weight of a padding token", zh="填充 token 的权重"))
    unseen = Text(en="a real token of the memory has no weight", zh="memory 中真实的 token 没有权重")
    expect.that(bool((weights[seen] > 1e-6).all()), unseen)


@criterion("memory_padding")
def test_mask_of_true_changes_nothing(student, rng):
    """A mask of True everywhere gives what None gives, one with False something else; and the mask stays as it was."""
    module = _alive(_filled(_made(student, 8, 1), rng), rng, 8)
    x, memory, real = rng(3, 5, 8, dtype=torch.float32), rng(3, 5, 8, dtype=torch.float32), _real("inner")
    plain, kept = _run(module, x, memory), _run(module, x, memory, memory_mask=torch.ones_like(real))
    none = Text(en="a mask of True everywhere changes the output", zh="全为 True 的掩码改变了输出")
    expect.same(kept, plain, atol=ATOL, rtol=RTOL, why=none)
    expect.differs(_run(module, x, memory, memory_mask=real), plain, by=1e-3, why=NO_EFFECT)
    call = module.watch(x, memory, real)
    expect.unchanged(call, x, memory, real, what=["x", "memory", Text(en="the mask", zh="掩码")])


# -- dropout -------------------------------------------------------------------------------------


@criterion("dropout_modes")
@pytest.mark.parametrize("rate", [0.5, 0.3])
def test_dropout_rests_in_eval_mode(student, rng, rate):
    """In eval mode, or with dropout=0, nothing is dropped: call after call gives the same; in training it does not."""
    plain = _alive_anywhere(_filled(_made(student, 8, 1), rng), rng, 8)
    module, _ = _made(student, 8, 1, dropout=rate)
    _load_as_in(module, plain)
    x, memory = rng(3, 6, 8, dtype=torch.float32), rng(3, 6, 8, dtype=torch.float32)
    base = _run(plain, x, memory)
    student.seed(rng.number(0, 1 << 30))
    plain.train_()
    changed = Text(en="with dropout=0 training mode changes the output", zh="dropout=0 时训练模式改变了输出")
    expect.same(_run(plain, x, memory), base, atol=ATOL, rtol=RTOL, why=changed)
    module.train_()
    active = Text(en=f"dropout={rate} changes nothing in training mode", zh=f"训练模式下 dropout={rate} 没有任何作用")
    expect.differs(_run(module, x, memory), base, by=1e-3, why=active)
    module.eval_()
    awake = Text(en=f"in eval mode dropout={rate} changes the output", zh=f"eval 模式下 dropout={rate} 改变了输出")
    for _ in range(2):
        expect.same(_run(module, x, memory), base, atol=ATOL, rtol=RTOL, why=awake)


@criterion("dropout_modes")
@pytest.mark.parametrize("rate", [0.4, 0.25])
def test_dropout_acts_on_the_weights(student, rng, rate):
    """In training mode every weight becomes 0 or is divided by 1 - dropout; nothing else is dropped."""
    _alive_anywhere(_filled(_made(student, 12, 1), rng), rng, 12)
    plain = _spelled(student, rng, 4)
    base = _weights_read(plain, 1)[0]
    module, _ = _made(student, 12, 1, dropout=rate)
    _load_as_in(module, plain[0])
    module.train_()
    student.seed(rng.number(0, 1 << 30))
    weights, *copies = _weights_read((module, *plain[1:]), 16)
    elsewhere = Text(
        en="two features of equal value are not dropped together: dropout acts on something else than the weights",
        zh="取值相同的两个特征没有一起被丢弃：dropout 没有作用在权重上",
    )
    for copy in copies:
        expect.same(copy, weights, atol=ATOL, rtol=RTOL, why=elsewhere)
    kept = base.expand_as(weights) / (1 - rate)
    is_zero, is_kept = weights.abs() < ATOL, (weights - kept).abs() < ATOL + RTOL * kept.abs()
    values = Text(
        en=f"with dropout={rate} in training mode a weight is neither 0 nor the plain weight divided by {1 - rate:g}",
        zh=f"训练模式下 dropout={rate} 时，有的权重既不是 0，也不是原权重除以 {1 - rate:g}",
    )
    expect.that(bool((is_zero | is_kept).all()), values)
    seen = kept > 1e-3
    none = Text(
        en=f"with dropout={rate} in training mode no weight is dropped, or all are",
        zh=f"训练模式下 dropout={rate} 时，没有权重被丢弃，或者全部被丢弃",
    )
    expect.that(bool((is_zero & seen).any()) and bool((is_kept & seen).any()), none)
