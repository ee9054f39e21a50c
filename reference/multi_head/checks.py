"""Hidden checks of multi_head.

Three rules hold them apart from each other.

* A mistake in one place is asked for in one place. The scale is measured first (``_measured``) and the given weights
  are compared at the student's own scale; causality, padding and dropout are properties, shown with parameters of any
  name and any order; wrong forms of the result are read through by ``output_of``.
* With one head the layout of split and merge cannot matter, so each property is shown with one head first. Its twins
  with several heads wait for the criteria of the layout, or follow the student's own helpers (``_followed``).
* A property check shows first that the module attends at all (``_alive``).

Everything runs in float32, the dtype modules are born in, unless a check is about float64.
"""

import math

import pytest
import torch
from torch.func import functional_call

from grader.checks import Text, criterion, expect, needs, output_of

ATOL, RTOL = 1e-5, 1e-4
GRADIENT_ATOL, GRADIENT_RTOL = 1e-4, 1e-3
STILL, MOVED = 1e-5, 1e-4  # a row that stood still; a row that moved
OUTPUT_AXES = ("batch", "token", "feature")

DEAD = Text(
    en="the output does not behave like attention: it ignores x, is a straight-line function of x, or changes from call to call",
    zh="输出不像注意力：它与 x 无关、只是 x 的线性函数，或者每次调用都不一样",
)


# -- modules with parameters of ours -------------------------------------------------------------


def _made(student, width, heads, *, own="MultiHeadSelfAttention", **options):
    """A float32 module of the student's in eval mode."""
    module = getattr(student, own)(width, heads, **options)
    module.to_(torch.float32)
    module.eval_()
    return module


def _filled(module, rng):
    """Moderate random numbers in every parameter, whatever its name; no start value of the student's is left."""
    values = {}
    for name, parameter in module.parameters_().items():
        drawn = rng(*parameter.shape)
        values[name] = 0.7 * drawn / math.sqrt(parameter.shape[-1]) if parameter.dim() > 1 else 0.3 * drawn
    module.load_(values)
    return module


def _stems(module, width):
    """Names of the layers in and of the layer out: the contract's, or what their shapes say where names differ."""
    shapes = {name[:-7]: tuple(p.shape) for name, p in module.parameters_().items() if name.endswith(".weight")}
    packed = [stem for stem, shape in shapes.items() if shape == (3 * width, width)]
    square = [stem for stem, shape in shapes.items() if shape == (width, width)]
    if "qkv_proj" in packed and "out_proj" in square:
        return ["qkv_proj"], "out_proj"
    if len(packed) == 1 and len(square) == 1:
        return packed, square[0]
    if not packed and len(square) == 4:
        return square[:3], square[3]
    return ["qkv_proj"], "out_proj"


def _readable(module, width):
    """Whether there are layers that given weights can be loaded into."""
    names = module.parameters_()
    stems, out = _stems(module, width)
    return all(f"{stem}.weight" in names for stem in (*stems, out))


def _load(module, width, w_in, b_in, w_out, b_out):
    """Load the packed projection and the output layer by name. Returns them with absent biases as zeros."""
    own = module.parameters_()
    stems, out = _stems(module, width)
    values, biases = {}, []
    layers = [*zip(stems, w_in.chunk(len(stems)), b_in.chunk(len(stems)), strict=True), (out, w_out, b_out)]
    for stem, weight, bias in layers:
        values[f"{stem}.weight"] = weight
        has_bias = f"{stem}.bias" in own and own[f"{stem}.bias"].shape == bias.shape
        if has_bias:
            values[f"{stem}.bias"] = bias
        biases.append(bias if has_bias else torch.zeros_like(bias))
    module.load_(values)
    return w_in, torch.cat(biases[:-1]), w_out, biases[-1]


def _drawn_weights(rng, width, dtype=torch.float32):
    """Given weights under which the attention is neither flat nor one-hot."""
    root = math.sqrt(width)
    drawn = 1.1 * rng(3 * width, width) / root, 0.4 * rng(3 * width), rng(width, width) / root, 0.5 * rng(width)
    return tuple(t.to(dtype) for t in drawn)


def _run(module, x, **named):
    """The output for ``x`` in float64, whatever form the result has; finite."""
    got = output_of(module(x, **named), tuple(x.shape), Text(en="the output", zh="输出"))
    return expect.finite(got, Text(en="the output", zh="输出"), OUTPUT_AXES).detach().to(torch.float64)


# -- is it attention at all? ---------------------------------------------------------------------


def _attends(module, rng, width):
    """Repeatable, and no straight-line function of x: zeros, means, one linear layer and noise all fail this."""
    x, step = rng(2, 5, width, dtype=torch.float32), rng(2, 5, width, dtype=torch.float32)
    here, again, there, back = (_run(module, at) for at in (x, x, x + step, x - step))
    bend = (there + back - 2 * here).abs().max()
    return bool((here - again).abs().max() < STILL) and bool(bend > 1e-3)


def _alive(student, rng, own="MultiHeadSelfAttention"):
    """Pass only if the class makes something that attends: with one head, or else with three."""
    for heads in (1, 3):
        if _attends(_filled(_made(student, 12, heads, own=own), rng), rng, 12):
            return
    expect.that(False, DEAD)


# -- reading weights and scale from the output ---------------------------------------------------


def _spelled(module, width, tokens, sizes):
    """Load weights with which every value spells out its token: feature c stands for token c mod T.

    ``tokens [T, C]`` are independent rows, ``sizes [T]`` what each token's own features become. Query, key and value
    get the same rows, so their order does not matter; the layer out hands everything through.
    """
    t = tokens.shape[0]
    dual = torch.linalg.pinv(tokens)  # [C, T]: tokens @ dual is the identity
    column = torch.arange(3 * width) % t
    w_in = (dual * sizes)[:, column].T
    zero = torch.zeros(3 * width, dtype=tokens.dtype)
    _load(module, width, w_in, zero, torch.eye(width, dtype=tokens.dtype), zero[:width])


def _weights_read(module, rng, batch, t, **named):
    """The weights ``[B, T, T]`` of a module with one head and width 2T, read twice over from its output."""
    tokens, sizes = rng(t, 2 * t), torch.linspace(0.7, 1.2, t, dtype=torch.float64)
    _spelled(module, 2 * t, tokens, sizes)
    out = _run(module, tokens.float().expand(batch, t, 2 * t).contiguous(), **named)
    return out[..., :t] / sizes, out[..., t:] / sizes


def _measured(student, rng, width, heads):
    """The student's own factor on q kT and the sum of a row of weights, or None where they cannot be read.

    Two tokens, an odd number of heads, an even number of features: every head, however it is cut out, sees the same
    two tokens, and the double difference of the logarithms of its four weights is size^2 * D * factor.
    """
    features, size = width // heads, 1.0
    module = _made(student, width, heads)
    tokens = rng(2, width)
    _spelled(module, width, tokens, torch.full((2,), size, dtype=torch.float64))
    out = _run(module, tokens.float().expand(2, 2, width).contiguous()) / size
    seen = out[out > 1e-6]
    if seen.numel() == 0:
        return None
    low = seen.min()
    above = seen[seen > 1.0005 * low]
    high = above.min() if above.numel() else low
    own = torch.arange(width) % 2 == torch.arange(2)[:, None]  # [token, feature]: the features of this very token
    sign = 1.0 if bool((out * own).sum() >= (out * ~own).sum()) else -1.0
    return sign * 2 * float((high / low).log()) / (size**2 * features), float(high + low)


def _own_scale(student, rng, width, heads):
    """(factor, row sum) to compare the given weights at: the right ones wherever the student's are right."""
    right = 1 / math.sqrt(width // heads)
    factor, row = _measured(student, rng, width, heads) or (right, 1.0)
    return right if abs(factor - right) < 1e-3 * right else factor, 1.0 if abs(row - 1) < 1e-3 else row


def _sums_over_keys(student, rng):
    """Whether rows of weights sum to the same number; where columns do, influence maps say nothing about masks."""
    module = _made(student, 8, 1)
    if not _readable(module, 8):
        return True
    rows = sum(half for half in _weights_read(module, rng, 1, 4)).sum(-1) / 2
    return bool((rows.amax() - rows.amin()).abs() < 1e-2)


# -- what should come out ------------------------------------------------------------------------


def _expected(reference, heads, weights, x, own, causal=False):
    """(output, weights) of the reference under given weights, at the student's own scale and row sum."""
    w_in, b_in, w_out, b_out = weights
    width = w_out.shape[0]
    factor, row = own
    on_q, on_k, on_v = factor * math.sqrt(width // heads), 1.0, row
    times = torch.tensor([on_q, on_k, on_v], dtype=x.dtype).repeat_interleave(width)
    module = reference.MultiHeadSelfAttention(width, heads, causal=causal).to(x.dtype).eval()
    values = {
        "qkv_proj.weight": times[:, None] * w_in,
        "qkv_proj.bias": times * b_in,
        "out_proj.weight": w_out,
        "out_proj.bias": b_out,
    }
    return functional_call(module, values, (x,), {"return_weights": True})


def _split(student, t, heads):
    batch, time, width = t.shape
    what = Text(en="what split_heads gives the module", zh="split_heads 交给模块的结果")
    return expect.tensor(student.split_heads(t, heads), (batch, heads, time, width // heads), t.dtype, what)


def _followed(student, heads, projected, own):
    """Merged values ``[B, T, C]`` of an attention that goes through the student's own split_heads and merge_heads."""
    factor, row = own
    q, k, v = (_split(student, t, heads) for t in projected.chunk(3, dim=-1))
    values = row * (factor * q @ k.mT).softmax(-1) @ v
    what = Text(en="what merge_heads gives the module", zh="merge_heads 交给模块的结果")
    merged = expect.tensor(student.merge_heads(values), tuple(projected.shape[:2]) + (projected.shape[-1] // 3,), what=what)
    return expect.finite(merged, what, OUTPUT_AXES).detach().to(projected.dtype)


def _is_near(got, want):
    got, want = got.to(torch.float64), want.detach().to(torch.float64)
    return bool(((got - want).abs() <= ATOL + RTOL * want.abs()).all())


# -- split_heads and merge_heads -----------------------------------------------------------------


def _numbered(*shape, dtype=torch.float64):
    return torch.arange(math.prod(shape), dtype=dtype).reshape(shape)


def _dealt_out(x, heads):
    """[B, T, C] -> [B, H, T, D] by its index formula: out[b, h, t, d] = x[b, t, h D + d]."""
    batch, time, width = x.shape
    features = width // heads
    b = torch.arange(batch)[:, None, None, None]
    h = torch.arange(heads)[None, :, None, None]
    t = torch.arange(time)[None, None, :, None]
    d = torch.arange(features)[None, None, None, :]
    return x[b, t, h * features + d]


def _gathered(x):
    """[B, H, T, D] -> [B, T, H D] by its index formula: out[b, t, c] = x[b, c div D, t, c mod D]."""
    batch, heads, time, features = x.shape
    b = torch.arange(batch)[:, None, None]
    t = torch.arange(time)[None, :, None]
    c = torch.arange(heads * features)[None, None, :]
    return x[b, c // features, t, c % features]


SPLIT_SIZES = [
    ((2, 5, 12, 3), torch.float64),
    ((5, 4, 14, 2), torch.float32),
    ((3, 4, 15, 3), torch.float64),  # B = H
    ((4, 4, 6, 2), torch.float32),  # B = T
]


@criterion("split_layout")
@pytest.mark.parametrize("size, dtype", SPLIT_SIZES)
def test_split_puts_every_feature_in_its_head(student, size, dtype):
    """Head h of split_heads holds features h*D to (h+1)*D - 1 of every token."""
    for batch, time, width, heads in (size, (1, *size[1:]), (size[0], 1, *size[2:]), (*size[:3], 1), (*size[:3], size[2])):
        x = _numbered(batch, time, width, dtype=dtype)
        got = expect.tensor(
            student.split_heads(x, heads), (batch, heads, time, width // heads), dtype, Text(en="split_heads(x)", zh="split_heads(x)")
        )
        axes = ("batch", "head", "token", "feature")
        expect.close(got, _dealt_out(x, heads), atol=0, rtol=0, what="split_heads(x)", axes=axes)


@criterion("split_layout")
def test_split_passes_gradients_back(student, rng):
    """Gradients flow back through split_heads to the right features, and x is left as it was."""
    x, spread = rng(3, 4, 10).requires_grad_(), rng(3, 5, 4, 2)
    got = expect.tensor(student.split_heads(x, 5), (3, 5, 4, 2), x.dtype, "split_heads(x)")
    expect.gradients(got, [x], ["x"])
    (found,) = torch.autograd.grad(got, [x], grad_outputs=spread)
    expect.close(found, _gathered(spread), atol=1e-8, rtol=0, what=_gradient("x"), axes=OUTPUT_AXES)
    expect.unchanged(student.watch("split_heads", x.detach(), 5), x.detach(), what=["x"])


@criterion("merge_layout")
@pytest.mark.parametrize("size, dtype", SPLIT_SIZES)
def test_merge_puts_every_feature_back(student, size, dtype):
    """Token t of merge_heads holds the slices of all heads side by side, head 0 first."""
    for batch, time, width, heads in (size, (1, *size[1:]), (size[0], 1, *size[2:]), (*size[:3], 1), (*size[:3], size[2])):
        x = _numbered(batch, heads, time, width // heads, dtype=dtype)
        got = expect.tensor(student.merge_heads(x), (batch, time, width), dtype, "merge_heads(x)")
        expect.close(got, _gathered(x), atol=0, rtol=0, what="merge_heads(x)", axes=OUTPUT_AXES)


@criterion("merge_layout")
def test_merge_passes_gradients_back(student, rng):
    """Gradients flow back through merge_heads to the right features, and x is left as it was."""
    x, spread = rng(3, 5, 4, 2).requires_grad_(), rng(3, 4, 10)
    got = expect.tensor(student.merge_heads(x), (3, 4, 10), x.dtype, "merge_heads(x)")
    expect.gradients(got, [x], ["x"])
    (found,) = torch.autograd.grad(got, [x], grad_outputs=spread)
    expect.close(found, _dealt_out(spread, 5), atol=1e-8, rtol=0, what=_gradient("x"))
    expect.unchanged(student.watch("merge_heads", x.detach()), x.detach(), what=["x"])


def _gradient(name):
    return Text(en=f"the gradient of {name}", zh=f"{name} 的梯度")


# -- head counts that do not fit -----------------------------------------------------------------


@criterion("bad_head_count")
def test_split_refuses_heads_that_do_not_fit(student, rng):
    """split_heads raises ValueError where the features cannot be dealt out evenly."""
    x = rng(2, 4, 10)
    deal = Text(en="split_heads(x, 5)", zh="split_heads(x, 5)")
    one, again, other = (expect.tensor(student.split_heads(at, 5), what=deal) for at in (x, x, rng(2, 4, 10)))
    expect.that(one.numel() == x.numel(), Text(en=f"{deal.en} lost or added numbers", zh=f"{deal.zh} 丢失或多出了数"))
    expect.same(one, again, atol=0, rtol=0, what=deal)
    expect.differs(one, other, by=1e-3, what=deal)
    for heads in (3, 4, 20):
        name = f"split_heads(x, {heads}), 10 features"
        expect.raises(("ValueError",), lambda heads=heads: student.split_heads(x, heads), name)


@criterion("bad_head_count")
@pytest.mark.parametrize("own", ["MultiHeadSelfAttention", "CausalSelfAttention"])
def test_constructor_refuses_heads_that_do_not_fit(student, rng, own):
    """The constructor raises ValueError where d_model is not a multiple of n_heads."""
    _alive(student, rng, own)
    for width, heads in ((10, 3), (7, 2), (4, 8)):
        name = f"{own}({width}, {heads})"
        expect.raises(("ValueError",), lambda width=width, heads=heads: getattr(student, own)(width, heads), name)


# -- parameters ----------------------------------------------------------------------------------


@criterion("parameters")
@pytest.mark.parametrize("own, width, heads", [("MultiHeadSelfAttention", 12, 3), ("CausalSelfAttention", 10, 5)])
@pytest.mark.parametrize("layer", ["qkv_proj", "out_proj"])
def test_layers_have_the_names_and_shapes_of_the_contract(student, rng, own, width, heads, layer):
    """qkv_proj goes from d_model to 3*d_model features, out_proj from d_model to d_model; both have a bias."""
    _alive(student, rng, own)
    rows = 3 * width if layer == "qkv_proj" else width
    found = getattr(student, own)(width, heads).parameters_()
    for part, shape in ((f"{layer}.weight", (rows, width)), (f"{layer}.bias", (rows,))):
        names = ", ".join(found) or "-"
        expect.that(
            part in found,
            Text(en=f"{own} has no parameter {part}; it has: {names}", zh=f"{own} 没有参数 {part}；现有的是：{names}"),
        )
        expect.tensor(found[part], shape, what=Text(en=f"the parameter {part}", zh=f"参数 {part}"))


# -- shape, type and form of the result ----------------------------------------------------------

OUT, WEIGHTS = Text(en="the output", zh="输出"), Text(en="the weights", zh="权重")


def _check_forms(module, rng, size, dtype=torch.float32, both_ways=True):
    """A lone tensor, and with return_weights=True the tuple (output, weights), each of the right shape and dtype."""
    batch, time, width, heads = size
    x = rng(batch, time, width, dtype=dtype)
    expect.finite(expect.tensor(module(x), (batch, time, width), dtype, OUT), OUT, OUTPUT_AXES)
    if not both_ways:
        return
    out, weights = expect.pair(
        module(x, return_weights=True), Text(en="the result with return_weights=True", zh="return_weights=True 时的结果")
    )
    expect.tensor(out, (batch, time, width), dtype, OUT)
    expect.finite(expect.tensor(weights, (batch, heads, time, time), dtype, WEIGHTS), WEIGHTS)


@criterion("output_shape")
def test_output_comes_alone(student, rng):
    """forward(x) gives one tensor of the shape of x."""
    _alive(student, rng)
    for width, heads, time in ((8, 1, 5), (12, 3, 1)):  # layout cannot matter: one head, or one token
        _check_forms(_filled(_made(student, width, heads), rng), rng, (2, time, width, heads), both_ways=False)


@criterion("output_shape")
def test_output_comes_with_weights(student, rng):
    """forward(x, return_weights=True) gives the tuple (output, weights [B, H, T, T])."""
    _alive(student, rng)
    for width, heads, time in ((8, 1, 5), (12, 3, 1)):
        _check_forms(_filled(_made(student, width, heads), rng), rng, (2, time, width, heads))


@criterion("output_shape")
@needs("split_layout", "merge_layout")
@pytest.mark.parametrize("size", [(2, 5, 12, 3), (3, 4, 6, 3), (4, 4, 10, 2)])
def test_several_heads_have_a_table_each(student, rng, size):
    """With several heads the output is [B, T, C] and the weights are [B, H, T, T]."""
    _alive(student, rng)
    _check_forms(_filled(_made(student, size[2], size[3]), rng), rng, size)


@criterion("output_shape")
def test_float64_stays_float64(student, rng):
    """In float64 the output and the weights are float64."""
    _alive(student, rng)
    module = _filled(_made(student, 8, 1, causal=True), rng)
    module.to_(torch.float64)
    _check_forms(module, rng, (3, 5, 8, 1), torch.float64)


@criterion("output_shape")
def test_causal_class_gives_the_same_forms(student, rng):
    """CausalSelfAttention gives its results in the same forms."""
    _alive(student, rng, "CausalSelfAttention")
    _check_forms(_filled(_made(student, 8, 1, own="CausalSelfAttention"), rng), rng, (2, 5, 8, 1))


@criterion("output_shape")
def test_module_leaves_its_inputs_alone(student, rng):
    """The module changes neither x nor the padding mask."""
    _alive(student, rng)
    module = _filled(_made(student, 8, 1), rng)
    x, real = rng(3, 5, 8, dtype=torch.float32), torch.ones(3, 5, dtype=torch.bool)
    expect.unchanged(module.watch(x, real), x, real, what=["x", Text(en="the padding mask", zh="padding mask")])


# -- given weights -------------------------------------------------------------------------------


@criterion("given_weights")
@pytest.mark.parametrize("width, heads", [(8, 1), (12, 3), (18, 3)])
def test_last_token_has_the_right_numbers(student, reference, rng, width, heads):
    """With given weights the last token gets the right output (at the scale your module uses)."""
    own = _own_scale(student, rng, width, heads)
    module = _made(student, width, heads)
    weights = _load(module, width, *_drawn_weights(rng, width))
    x = rng(2, 5, width, dtype=torch.float32)
    got = _run(module, x)[:, -1:]
    expect.differs(got, _run(module, x + rng(2, 5, width, dtype=torch.float32))[:, -1:], by=1e-2, what=OUT, why=DEAD)
    want = _expected(reference, heads, weights, x, own)[0][:, -1:]
    if heads > 1 and not _is_near(got, want):  # perhaps right, save for the student's own split and merge
        w_in, b_in, w_out, b_out = weights
        followed = (_followed(student, heads, x @ w_in.T + b_in, own) @ w_out.T + b_out)[:, -1:]
        if _is_near(got, followed):
            return
    expect.close(got, want, atol=ATOL, rtol=RTOL, what=_last(OUT), axes=OUTPUT_AXES)


def _last(what):
    return Text(en=f"{what.en} of the last token", zh=f"最后一个 token 的{what.zh}")


@criterion("given_weights")
@needs("split_layout", "merge_layout", "future_invariance")
@pytest.mark.parametrize("size", [(2, 7, 20, 5), (3, 5, 12, 3), (4, 4, 18, 3)])
def test_every_token_has_the_right_numbers(student, reference, rng, size):
    """With given weights every token gets the right output (at the scale your module uses)."""
    batch, time, width, heads = size
    own = _own_scale(student, rng, width, heads)
    module = _made(student, width, heads)
    weights = _load(module, width, *_drawn_weights(rng, width))
    x = rng(batch, time, width, dtype=torch.float32)
    want = _expected(reference, heads, weights, x, own)[0]
    expect.close(_run(module, x), want, atol=ATOL, rtol=RTOL, what=OUT, axes=OUTPUT_AXES)


@criterion("given_weights")
@needs("split_layout", "merge_layout", "future_invariance", "output_shape")
@pytest.mark.parametrize("causal", [False, True])
def test_numbers_and_tables_in_float64(student, reference, rng, causal):
    """In float64 output and returned weights are right, plain and causal (at the scale your module uses)."""
    own = _own_scale(student, rng, 12, 3)
    module = _made(student, 12, 3, causal=causal)
    module.to_(torch.float64)
    weights = _load(module, 12, *_drawn_weights(rng, 12, torch.float64))
    x = rng(2, 5, 12)
    out, table = expect.pair(module(x, return_weights=True))
    want = _expected(reference, 3, weights, x, own, causal)
    expect.close(out, want[0], atol=ATOL, rtol=RTOL, what=OUT, axes=OUTPUT_AXES)
    expect.close(table, want[1] * own[1], atol=ATOL, rtol=RTOL, what=WEIGHTS)


@criterion("given_weights")
@needs("future_invariance")
def test_causal_class_has_the_right_numbers(student, reference, rng):
    """With given weights CausalSelfAttention gives every token the right output (at the scale your module uses)."""
    own = _own_scale(student, rng, 8, 1)
    module = _made(student, 8, 1, own="CausalSelfAttention")
    weights = _load(module, 8, *_drawn_weights(rng, 8))
    x = rng(3, 6, 8, dtype=torch.float32)
    want = _expected(reference, 1, weights, x, own, causal=True)[0]
    expect.close(_run(module, x), want, atol=ATOL, rtol=RTOL, what=OUT, axes=OUTPUT_AXES)


def _check_gradients(student, reference, rng, width, heads):
    own = _own_scale(student, rng, width, heads)
    module = _made(student, width, heads)
    weights = [t.requires_grad_() for t in _load(module, width, *_drawn_weights(rng, width))]
    x, spread = rng(2, 5, width, dtype=torch.float32).requires_grad_(), rng(2, 1, width, dtype=torch.float32)
    last = output_of(module(x), tuple(x.shape), OUT)[:, -1:]
    expect.gradients(last, [x], ["x"])
    module.zero_grad_()
    (on_x,) = torch.autograd.grad(last, [x], grad_outputs=spread)
    found = module.grads_()
    right = _expected(reference, heads, weights, x, own)[0][:, -1:]
    want = torch.autograd.grad(right, [x, *weights], grad_outputs=spread)
    expect.close(on_x, want[0], atol=GRADIENT_ATOL, rtol=GRADIENT_RTOL, what=_gradient("x"), axes=OUTPUT_AXES)
    stems, out = _stems(module, width)
    layers = [*zip(stems, want[1].chunk(len(stems)), want[2].chunk(len(stems)), strict=True), (out, want[3], want[4])]
    for stem, on_weight, on_bias in layers:
        for part, should in ((f"{stem}.weight", on_weight), (f"{stem}.bias", on_bias)):
            if part in found:
                grad = expect.tensor(found[part], what=_gradient(part))
                expect.close(grad, should, atol=GRADIENT_ATOL, rtol=GRADIENT_RTOL, what=_gradient(part), axes=("row", "column"))


@criterion("given_weights")
def test_every_parameter_gets_its_gradient(student, reference, rng):
    """Gradients reach x and every parameter, and are right (at the scale your module uses)."""
    _check_gradients(student, reference, rng, 8, 1)


@criterion("given_weights")
@needs("split_layout", "merge_layout")
def test_gradients_through_several_heads(student, reference, rng):
    """Through several heads, too, gradients reach x and every parameter (at the scale your module uses)."""
    _check_gradients(student, reference, rng, 18, 3)


# -- scale ---------------------------------------------------------------------------------------


def _check_scale(student, rng, width, heads):
    features = width // heads
    measured = _measured(student, rng, width, heads)
    unreadable = Text(en="no attention weights can be read from the output", zh="无法从输出中读出注意力权重")
    expect.that(measured is not None, unreadable)
    factor, row = measured
    known = {"1": 1.0, "1/D": 1 / features, "1/sqrt(d_model)": 1 / math.sqrt(width), "1/d_model": 1 / width}
    known |= {"sqrt(D)": math.sqrt(features), "1/sqrt(n_heads)": 1 / math.sqrt(heads), "0": 0.0}
    expect.factor(torch.tensor([factor]), torch.ones(1), 1 / math.sqrt(features), rtol=2e-3, known=known)
    short = Text(
        en=f"the weights of a row sum to {row:.4g}, expected 1: is the scale applied after the softmax?",
        zh=f"一行权重之和是 {row:.4g}，应当是 1：是否在 softmax 之后才缩放？",
    )
    expect.that(abs(row - 1) < 1e-3, short)


@criterion("head_scale")
def test_scale_with_one_head(student, rng):
    """With one head the dot products are divided by sqrt(D)."""
    _check_scale(student, rng, 10, 1)


@criterion("head_scale")
@needs("heads_independent")
@pytest.mark.parametrize("width, heads", [(12, 3), (18, 3), (20, 5)])
def test_scale_belongs_to_one_head(student, rng, width, heads):
    """The dot products are divided by the square root of D = d_model / n_heads."""
    _check_scale(student, rng, width, heads)


# -- heads ---------------------------------------------------------------------------------------


def _moved_by_rows(run, w_in, change):
    """bool ``[3C, T, C]``: which merged values move when one row of the packed projection changes."""
    base = run(w_in)
    moved = []
    for row in range(w_in.shape[0]):
        other = w_in.clone()
        other[row] += change[row]
        moved.append(((run(other) - base).abs() > MOVED).any(dim=0))
    return torch.stack(moved)


def _groups(moved):
    """Sizes of the groups of features that some row of the projection moves together; ``moved [3C, T, C]``."""
    groups = []
    for row in moved:
        features = set(row.any(dim=0).nonzero().flatten().tolist())
        joined = [g for g in groups if g & features]
        groups = [g for g in groups if not g & features] + [features.union(*joined)]
    return sorted(len(g) for g in groups if g)


@criterion("heads_independent")
@pytest.mark.parametrize("batch, time, width, heads", [(3, 4, 6, 2), (2, 4, 6, 3), (3, 3, 6, 3)])
def test_a_head_moves_only_its_own_slice(student, rng, batch, time, width, heads):
    """Changing one head's part of the query, key or value moves only that head's slice of the output."""
    module = _made(student, width, heads)
    w_in, b_in, _, _ = _drawn_weights(rng, width)
    change, x = 1.5 * rng(3 * width, width, dtype=torch.float32), rng(batch, time, width, dtype=torch.float32)
    _, b_in, _, _ = _load(module, width, w_in, b_in, torch.eye(width), torch.zeros(width))
    stems, _ = _stems(module, width)

    def run(rows):
        module.load_({f"{stem}.weight": part for stem, part in zip(stems, rows.chunk(len(stems)), strict=True)})
        return _run(module, x)

    moved = _moved_by_rows(run, w_in, change)
    sizes = _groups(moved)
    if sizes == [width // heads] * heads and bool(moved[:, -1].any(dim=-1).all()):
        return
    expect.that(bool(sizes) and max(sizes) > 1, DEAD)
    own = 1 / math.sqrt(width // heads), 1.0  # which values move does not depend on the scale
    followed = _moved_by_rows(lambda rows: _followed(student, heads, x @ rows.T + b_in, own).double(), w_in, change)
    mixed = Text(
        en=f"the output's features move in groups of {sizes}; {heads} heads should give {heads} groups of {width // heads}",
        zh=f"输出的特征以 {sizes} 为组一起变化；{heads} 个头应当给出 {heads} 组、每组 {width // heads} 个",
    )
    expect.that(bool((moved == followed).all()), mixed)


@criterion("heads_independent")
@needs("split_layout", "merge_layout")
@pytest.mark.parametrize("width, heads", [(6, 2), (15, 3)])
def test_every_head_looks_over_all_tokens(student, rng, width, heads):
    """In every head the last token's output depends on every token before it, in whatever order they come."""
    module = _made(student, width, heads)
    w_in, b_in, _, _ = _drawn_weights(rng, width)
    _load(module, width, w_in, b_in, torch.eye(width), torch.zeros(width))
    x = rng(2, 5, width, dtype=torch.float32)
    base = _run(module, x)[:, -1]
    for token in range(4):
        other = x.clone()
        other[:, token] += rng(2, width, dtype=torch.float32)
        moved = ((_run(module, other)[:, -1] - base).abs() > STILL).any(dim=0)
        blind = Text(
            en=f"token {token} does not reach {int((~moved).sum())} of the {width} features of the last token's output",
            zh=f"最后一个 token 的输出有 {int((~moved).sum())} 个特征（共 {width} 个）不受第 {token} 个 token 影响",
        )
        expect.that(bool(moved.all()), blind)
    orders = Text(
        en="the order of the earlier tokens changes the last token's output: tokens and features are mixed up",
        zh="前面 token 的顺序改变了最后一个 token 的输出：token 轴与特征轴混在了一起",
    )
    swapped = _run(module, x[:, [2, 0, 3, 1, 4]].contiguous())[:, -1]
    expect.same(swapped, base, atol=ATOL, rtol=RTOL, why=orders)


# -- no future -----------------------------------------------------------------------------------


def _influence(module, x, change, **named):
    """``[T, T]``: by how much row i of the output moves (second axis) when token j of x changes (first axis)."""
    base = _run(module, x, **named)
    sizes = []
    for token in range(x.shape[1]):
        other = x.clone()
        other[:, token] += change[:, token]
        sizes.append((_run(module, other, **named) - base).abs().amax(dim=(0, 2)))
    return torch.stack(sizes)


def _check_reach(sizes, reach):
    """Token j must move row i exactly where ``reach[j, i]``."""
    for token, row in torch.cartesian_prod(torch.arange(len(sizes)), torch.arange(len(sizes))).tolist():
        size = float(sizes[token, row])
        if reach[token, row]:
            note = Text(
                en=f"changing token {token} does not move the output of token {row}, which should see it",
                zh=f"改动第 {token} 个 token 后，应该看到它的第 {row} 个 token 的输出却没有变",
            )
        else:
            note = Text(
                en=f"changing token {token} moves the output of token {row}, which must not see it (by {size:.2g})",
                zh=f"改动第 {token} 个 token 后，不该看到它的第 {row} 个 token 的输出变了（变化 {size:.2g}）",
            )
        expect.that(size > STILL if reach[token, row] else size <= STILL, note)


def _check_no_future(student, rng, own, options, size, masked):
    """Output row i may move with token j exactly where j <= i."""
    batch, time, width, heads = size
    module = _filled(_made(student, width, heads, own=own, **options), rng)
    named = {"padding_mask": torch.ones(batch, time, dtype=torch.bool)} if masked else {}
    if _sums_over_keys(student, rng):
        x, change = rng(batch, time, width, dtype=torch.float32), rng(batch, time, width, dtype=torch.float32)
        _check_reach(_influence(module, x, change, **named), torch.ones(time, time).triu().bool())
    if heads == 1 and width == 2 * time and _readable(module, width):
        for weights in _weights_read(module, rng, batch, time, **named):
            later = torch.ones(time, time).triu(1).bool()
            expect.below(weights * later, 1e-6, Text(en="the weight of a later token", zh="后面的 token 的权重"))
            unseen = Text(en="a token that may be seen has no weight", zh="可以看到的 token 没有权重")
            expect.that(bool((weights[:, ~later] > 1e-6).all()), unseen)


CAUSAL = [("MultiHeadSelfAttention", {"causal": True}), ("CausalSelfAttention", {})]


@criterion("future_invariance")
@pytest.mark.parametrize("own, options", CAUSAL)
@pytest.mark.parametrize("masked", [False, True])
def test_no_token_sees_a_later_one(student, rng, own, options, masked):
    """Changing token j moves the outputs of token j and later ones only; also under a padding mask of True."""
    _alive(student, rng)
    _check_no_future(student, rng, own, options, (2, 5, 10, 1), masked)


@criterion("future_invariance")
@needs("split_layout", "merge_layout", "heads_independent")
@pytest.mark.parametrize("own, options", CAUSAL)
@pytest.mark.parametrize("masked", [False, True])
def test_no_head_sees_a_later_token(student, rng, own, options, masked):
    """With several heads, too, changing token j moves the outputs of token j and later ones only."""
    _alive(student, rng)
    for size in ((2, 7, 15, 3), (3, 4, 6, 3), (4, 4, 10, 2)):
        _check_no_future(student, rng, own, options, size, masked)


@criterion("future_invariance")
def test_one_module_serves_every_length(student, rng):
    """One causal module works for sequences of any length, one after the other."""
    _alive(student, rng)
    module = _filled(_made(student, 8, 1, causal=True), rng)
    x = rng(2, 9, 8, dtype=torch.float32)
    whole = _run(module, x)
    for time in (4, 1, 7, 9):
        lengths = Text(
            en=f"the first {time} of 9 tokens get other outputs alone than with later tokens behind them",
            zh=f"9 个 token 中的前 {time} 个，单独输入与后面跟着其他 token 时的输出不同",
        )
        alone = _run(module, x[:, :time].contiguous())
        expect.same(alone, whole[:, :time], atol=ATOL, rtol=RTOL, why=lengths)


@criterion("future_invariance")
def test_without_causal_the_future_is_visible(student, rng):
    """causal=False (the default) lets every token see every other; causal=True does not."""
    _alive(student, rng)
    x, change = rng(1, 4, 8, dtype=torch.float32), rng(1, 4, 8, dtype=torch.float32)
    hidden = _influence(_filled(_made(student, 8, 1, causal=True), rng), x, change)
    alike = Text(en="with causal=True the future is visible, too", zh="causal=True 时未来也可见")
    expect.that(bool((hidden[-1, :-1] <= STILL).all()), alike)
    sizes = _influence(_filled(_made(student, 8, 1), rng), x, change)
    _check_reach(sizes, torch.ones(4, 4, dtype=torch.bool))


# -- padding -------------------------------------------------------------------------------------

REAL = {  # three samples of five tokens; 1 = a real token
    "right": [[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]],
    "left": [[0, 0, 1, 1, 1], [0, 1, 1, 1, 1], [0, 0, 0, 1, 1]],
    "inner": [[1, 0, 1, 1, 0], [0, 1, 0, 1, 1], [1, 1, 0, 0, 1]],
}
NO_EFFECT = Text(en="the padding mask has no effect", zh="padding mask 没有作用")


def _real(where):
    return torch.tensor(REAL[where], dtype=torch.bool)


def _check_padding_unseen(module, rng, width, real):
    """What stands in padding tokens moves no real token's output; what stands in real tokens does."""
    batch, time = real.shape
    x = rng(batch, time, width, dtype=torch.float32)
    base = _run(module, x, padding_mask=real)
    reached = Text(en="a real token's output changes when only the padding does", zh="只改动 padding 时，有效 token 的输出变了")
    for garbage in (rng.uniform(-50, 50, batch, time, width).float(), torch.zeros(batch, time, width)):
        got = _run(module, torch.where(real[..., None], x, garbage), padding_mask=real)
        expect.same(got[real], base[real], atol=ATOL, rtol=RTOL, why=reached)
    first = torch.tensor([int(row.nonzero().min()) for row in real])
    last = torch.tensor([int(row.nonzero().max()) for row in real])
    samples = torch.arange(batch)
    other = x.clone()
    other[samples, first] += rng(batch, width, dtype=torch.float32)
    moved = (_run(module, other, padding_mask=real) - base)[samples, last].abs().amax(dim=-1)
    blind = Text(en="a real token's output ignores another real token", zh="改动一个有效 token，另一个有效 token 的输出没有变")
    expect.that(bool((moved > STILL).all()), blind)


def _check_alone(module, rng, width, real):
    """Every sample of a padded batch gets what it gets alone, cut to its real tokens."""
    batch, time = real.shape
    x = rng(batch, time, width, dtype=torch.float32)
    together = _run(module, x, padding_mask=real)
    for sample in range(batch):
        keep = real[sample]
        alone = _run(module, x[sample : sample + 1, keep].contiguous(), padding_mask=torch.ones(1, int(keep.sum())).bool())
        apart = Text(
            en=f"sample {sample} of a padded batch gets another output than alone, without padding",
            zh=f"带 padding 的批次中，第 {sample} 个样本的输出与它单独（不带 padding）时不同",
        )
        expect.same(together[sample, keep], alone[0], atol=ATOL, rtol=RTOL, why=apart)


@criterion("padding_in_module")
@pytest.mark.parametrize("where", ["right", "left", "inner"])
@pytest.mark.parametrize("causal", [False, True])
def test_padding_moves_no_real_token(student, rng, where, causal):
    """What stands in the padding (right, left or between) moves no real token's output."""
    _alive(student, rng)
    module = _filled(_made(student, 8, 1, causal=causal), rng)
    x = rng(3, 5, 8, dtype=torch.float32)
    real = _real(where)
    if not causal:  # under causal, right padding is out of sight anyway
        expect.differs(_run(module, x, padding_mask=real)[real], _run(module, x)[real], by=MOVED, why=NO_EFFECT)
    _check_padding_unseen(module, rng, 8, real)


@criterion("padding_in_module")
@pytest.mark.parametrize("causal", [False, True])
def test_padded_batch_equals_each_sample_alone(student, rng, causal):
    """Every sample of a ragged batch gets the output it gets alone, without padding."""
    _alive(student, rng)
    module = _filled(_made(student, 8, 1, causal=causal), rng)
    for where in ("right", "left", "inner"):
        _check_alone(module, rng, 8, _real(where))


@criterion("padding_in_module")
@needs("split_layout", "merge_layout", "heads_independent")
@pytest.mark.parametrize("width, heads", [(15, 5), (12, 3), (8, 2)])
@pytest.mark.parametrize("causal", [False, True])
def test_padding_is_unseen_in_every_head(student, rng, width, heads, causal):
    """With several heads, too, padding moves no real token and changes no sample (also where B = H or B = T)."""
    _alive(student, rng)
    module = _filled(_made(student, width, heads, causal=causal), rng)
    for where in ("left", "inner"):
        real = _real(where)
        real = torch.cat([real, real.flip(0)[:2]]) if heads == 2 else real  # three or five samples of five tokens
        _check_padding_unseen(module, rng, width, real)
        _check_alone(module, rng, width, real)


@criterion("padding_in_module")
@pytest.mark.parametrize("causal", [False, True])
def test_padding_rows_are_zero_before_the_output_layer(student, rng, causal):
    """The output of a padding token is what the output layer makes of zeros: its bias."""
    _alive(student, rng)
    module = _made(student, 8, 1, causal=causal)
    w_in, b_in, w_out, b_out = _drawn_weights(rng, 8)
    x = rng(4, 5, 8, dtype=torch.float32)
    _load(module, 8, torch.zeros_like(w_in), torch.zeros_like(b_in), w_out, b_out)
    of_zeros = _run(module, x)[0, 0]
    _load(module, 8, w_in, b_in, w_out, b_out)
    plain = _run(module, x)
    what = Text(en="the output of a padding token", zh="padding token 的输出")
    for where in ("right", "left", "inner"):
        real = torch.cat([_real(where), torch.zeros(1, 5).bool()])  # the last sample has no real token at all
        got = _run(module, x, padding_mask=real)
        expect.differs(got, plain, by=MOVED, why=NO_EFFECT)
        pads = got[~real]
        expect.close(pads, of_zeros.expand_as(pads), atol=ATOL, rtol=RTOL, what=what, axes=("padding token", "feature"))


@criterion("padding_in_module")
@needs("output_shape")
def test_weights_of_padding_are_zero(student, rng):
    """In the returned weights the rows and the columns of padding tokens are zero."""
    _alive(student, rng)
    module = _filled(_made(student, 8, 1), rng)
    x = rng(3, 5, 8, dtype=torch.float32)
    for where in ("right", "left", "inner"):
        real = _real(where)
        _, weights = expect.pair(module(x, padding_mask=real, return_weights=True))
        weights = expect.finite(expect.tensor(weights, (3, 1, 5, 5), what=WEIGHTS), WEIGHTS).detach()
        seen = (real[:, :, None] & real[:, None, :])[:, None]
        expect.below(weights * ~seen, 1e-6, Text(en="the weight of a padding token", zh="padding token 的权重"))
        unseen = Text(en="a real token gives another real token no weight", zh="有效 token 之间的权重为零")
        expect.that(bool((weights[seen] > 1e-6).all()), unseen)


@criterion("padding_in_module")
def test_no_padding_mask_means_all_real(student, rng):
    """padding_mask=None gives what a mask of True everywhere gives; a mask with False gives something else."""
    _alive(student, rng)
    module = _filled(_made(student, 8, 1), rng)
    x, real = rng(3, 5, 8, dtype=torch.float32), _real("inner")
    plain, kept = _run(module, x), _run(module, x, padding_mask=torch.ones_like(real))
    none = Text(en="a padding mask of True everywhere changes the output", zh="全为 True 的 padding mask 改变了输出")
    expect.same(kept, plain, atol=ATOL, rtol=RTOL, why=none)
    expect.differs(_run(module, x, padding_mask=real)[real], plain[real], by=MOVED, why=NO_EFFECT)


@criterion("padding_in_module")
@pytest.mark.parametrize("causal", [False, True])
def test_padding_leaves_gradients_finite(student, rng, causal):
    """With padding, even of a whole sample, no gradient is NaN, and no real token's gradient reaches the padding."""
    _alive(student, rng)
    module = _filled(_made(student, 8, 1, causal=causal), rng)
    real = torch.cat([_real("left"), torch.zeros(1, 5).bool()])
    x = rng(4, 5, 8, dtype=torch.float32).requires_grad_()
    got = output_of(module(x, padding_mask=real), tuple(x.shape), OUT)
    expect.differs(expect.finite(got, OUT, OUTPUT_AXES), _run(module, x.detach()), by=MOVED, why=NO_EFFECT)
    if not got.requires_grad:
        return  # cut off from x: given_weights says so
    module.zero_grad_()
    spread = rng(4, 5, 8, dtype=torch.float32)
    (on_x,) = torch.autograd.grad(got, [x], grad_outputs=spread, allow_unused=True)
    found = {"x": on_x, **module.grads_()}
    for name, grad in found.items():
        if grad is not None:
            expect.finite(grad, _gradient(name), axes=("row", "column"))


# -- dropout -------------------------------------------------------------------------------------


@criterion("dropout_modes")
@pytest.mark.parametrize("own", ["MultiHeadSelfAttention", "CausalSelfAttention"])
def test_dropout_rests_in_eval_mode(student, rng, own):
    """In eval mode a module with dropout=0.5 gives what one without dropout gives, call after call."""
    _alive(student, rng, own)
    plain = _filled(_made(student, 8, 1, own=own), rng)
    module = _made(student, 8, 1, own=own, dropout=0.5)
    module.load_(plain.parameters_())
    x = rng(3, 6, 8, dtype=torch.float32)
    base = _run(plain, x)
    module.train_()
    active = Text(en="dropout=0.5 changes nothing in training mode", zh="训练模式下 dropout=0.5 没有任何作用")
    expect.differs(_run(module, x), base, by=1e-3, why=active)
    module.eval_()
    asleep = Text(
        en="in eval mode the output with dropout=0.5 is not the output without dropout",
        zh="eval 模式下，dropout=0.5 的输出与没有 dropout 时不同",
    )
    for _ in range(2):
        expect.same(_run(module, x), base, atol=ATOL, rtol=RTOL, why=asleep)


@criterion("dropout_modes")
@pytest.mark.parametrize("own, rate", [("MultiHeadSelfAttention", 0.5), ("CausalSelfAttention", 0.3)])
def test_dropout_acts_on_the_weights(student, rng, own, rate):
    """In training mode every weight becomes 0 or is divided by 1 - dropout; nothing else is dropped."""
    tokens, time, batch = rng, 5, 8
    base, _ = _weights_read(_made(student, 10, 1, own=own), rng, 1, time)
    module = _made(student, 10, 1, own=own, dropout=rate)
    module.train_()
    student.seed(rng.number(0, 1 << 30))
    first, second = _weights_read(module, tokens, batch, time)
    expect.differs(base, torch.full_like(base, 1 / time), by=1e-2, why=DEAD)
    output = Text(
        en="two features of the same value are not dropped together: dropout acts on something else than the weights",
        zh="取值相同的两个特征没有一起被丢弃：dropout 没有作用在权重上",
    )
    expect.same(first, second, atol=ATOL, rtol=RTOL, why=output)
    kept = base / (1 - rate)
    is_zero, is_kept = first.abs() < ATOL, (first - kept).abs() < ATOL + RTOL * kept.abs()
    values = Text(
        en=f"with dropout={rate} in training mode a weight is neither 0 nor the plain weight divided by {1 - rate:g}",
        zh=f"训练模式下 dropout={rate} 时，有的权重既不是 0，也不是原权重除以 {1 - rate:g}",
    )
    expect.that(bool((is_zero | is_kept).all()), values)
    seen = (base > 1e-3).expand_as(first)
    none = Text(en=f"with dropout={rate} in training mode no weight is dropped", zh=f"训练模式下 dropout={rate} 时没有权重被丢弃")
    expect.that(bool((is_zero & seen).any()) and bool((is_kept & seen).any()), none)


@criterion("dropout_modes")
def test_dropout_of_zero_changes_nothing_in_training(student, rng):
    """With dropout=0 training mode gives the same as eval mode; with dropout=0.5 it does not."""
    _alive(student, rng)
    x = rng(3, 6, 8, dtype=torch.float32)
    plain = _filled(_made(student, 8, 1), rng)
    base = _run(plain, x)
    plain.train_()
    same = Text(en="with dropout=0 training mode changes the output", zh="dropout=0 时训练模式改变了输出")
    expect.same(_run(plain, x), base, atol=ATOL, rtol=RTOL, why=same)
    module = _made(student, 8, 1, dropout=0.5)
    module.load_(plain.parameters_())
    module.train_()
    active = Text(en="dropout=0.5 changes nothing in training mode", zh="训练模式下 dropout=0.5 没有任何作用")
    expect.differs(_run(module, x), base, by=1e-3, why=active)
