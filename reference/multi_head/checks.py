"""Hidden checks of multi_head.

Three rules hold them apart from each other.

* A mistake is asked for in one place. The scale is measured first (``_measured``), and given weights are compared at
  the student's own scale; causality, padding and dropout are properties, shown with parameters of any name and order;
  wrong forms of a result are read through by ``output_of``.
* With one head the layout of split and merge cannot matter, so each property is shown with one head first. Its twins
  with several heads wait for the layout criteria, or follow the student's own helpers (``_followed``).
* A property counts only for a module that attends (``_alive``): no constant, no mean, no linear layer.

Everything runs in float32, the dtype modules are born in, unless a check is about float64.
"""

import math

import pytest
import torch
from torch.func import functional_call

from grader.checks import Text, criterion, expect, needs, output_of
from grader.errors import CheckFailed

ATOL, RTOL = 1e-5, 1e-4
GRADIENT_ATOL, GRADIENT_RTOL = 1e-4, 1e-3
STILL, BENT = 1e-5, 3e-4  # a row that did not move; an output that is no straight line
STIRRED = 1e-6  # a row that did, if only a little: an almost one-hot softmax hardly moves
OUT, WEIGHTS = Text(en="the output", zh="输出"), Text(en="the weights", zh="权重")
OUT_AXES = ("batch", "token", "feature")
DEAD = Text(
    en="the output is not that of attention: it ignores x, is a straight line in x, or differs from call to call",
    zh="输出不像注意力的输出：它与 x 无关、只随 x 线性变化，或者每次调用都不一样",
)
SELF, CAUSAL = "MultiHeadSelfAttention", "CausalSelfAttention"
PARAMETERS = ("qkv_proj.weight", "qkv_proj.bias", "out_proj.weight", "out_proj.bias")


# -- modules with parameters of ours -------------------------------------------------------------


def _made(student, width, heads, kind=SELF, **options):
    """A float32 module of the student's in eval mode, and its parameters by name."""
    module = getattr(student, kind)(width, heads, **options)
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
        values[name] = 0.55 * drawn / math.sqrt(parameter.shape[-1]) if parameter.dim() > 1 else 0.3 * drawn
    module.load_(values)
    return module


def _load_as_in(module, other):
    """Copy the parameters of another module of the class; those that the contract does not name stay where they can."""
    names = other.parameters_()
    module.load_(_named_in_the_contract(names) or names)


def _named_in_the_contract(names):
    """The four parameters of the contract by name, or none where one is absent or has another shape."""
    found = {name: names[name] for name in PARAMETERS if name in names}
    width = found["out_proj.weight"].shape[-1] if "out_proj.weight" in found else 0
    shapes = [(3 * width, width), (3 * width,), (width, width), (width,)]
    return found if [tuple(p.shape) for p in found.values()] == shapes else {}


def _layers(names, width):
    """The layers in and the layer out: named as in the contract, or told by their shapes where the names differ."""
    shapes = {name[:-7]: tuple(p.shape) for name, p in names.items() if name.endswith(".weight")}
    packed = [layer for layer, shape in shapes.items() if shape == (3 * width, width)]
    square = [layer for layer, shape in shapes.items() if shape == (width, width)]
    if not ("qkv_proj" in packed and "out_proj" in square):
        if len(packed) == 1 and len(square) == 1:
            return packed, square[0]
        if not packed and len(square) == 4:
            return square[:3], square[3]
    return ["qkv_proj"], "out_proj"


def _readable(names, width):
    """Whether there are layers that given weights can be loaded into."""
    layers, out = _layers(names, width)
    return all(f"{layer}.weight" in names for layer in (*layers, out))


def _load(made, w_in, b_in, w_out, b_out):
    """Load the packed projection and the output layer by name; gives them back with absent biases as zeros."""
    module, names = made
    layers, out = _layers(names, w_out.shape[0])
    values, biases = {}, []
    for layer, weight, bias in (
        *zip(layers, w_in.chunk(len(layers)), b_in.chunk(len(layers)), strict=True),
        (out, w_out, b_out),
    ):
        values[f"{layer}.weight"] = weight
        there = f"{layer}.bias" in names and names[f"{layer}.bias"].shape == bias.shape
        if there:
            values[f"{layer}.bias"] = bias
        biases.append(bias if there else torch.zeros_like(bias))
    module.load_(values)
    return w_in, torch.cat(biases[:-1]), w_out, biases[-1]


def _drawn(rng, width, dtype=torch.float32):
    """Weights to give, under which attention is neither flat nor one-hot: w_in, b_in, w_out, b_out."""
    root = math.sqrt(width)
    drawn = 0.8 * rng(3 * width, width) / root, 0.4 * rng(3 * width), rng(width, width) / root, 0.5 * rng(width)
    return tuple(t.to(dtype) for t in drawn)


def _run(module, x, rows=None, **named):
    """The output for ``x`` in float64, whatever form the result has; finite (in ``rows`` [B, T], if given)."""
    got = output_of(module(x, **named), tuple(x.shape), OUT).detach().to(torch.float64)
    if rows is None:
        return expect.finite(got, OUT, OUT_AXES)
    expect.finite(got[rows], OUT, ("real token", "feature"))
    return got


def _run_apart(module, x, rows=None, **named):
    """The same as ``_run``, every sample by itself."""
    cut = [{name: t[i : i + 1] for name, t in named.items()} for i in range(len(x))]
    return torch.cat(
        [_run(module, x[i : i + 1], None if rows is None else rows[i : i + 1], **cut[i]) for i in range(len(x))]
    )


def _mixes(module, rng, width):
    """Whether a sample's output depends on the others of its batch (given_weights says so)."""
    x = rng(3, 4, width, dtype=torch.float32)
    together, alone = (output_of(module(t), tuple(t.shape), OUT).detach() for t in (x, x[1:2]))
    return bool((together[1:2] - alone).nan_to_num(0, 0, 0).abs().max() > STILL)


def _judge(check, module, rng, width):
    """``check(run)`` on whole batches; where samples are mixed up even without a mask, on one sample at a time."""
    try:
        check(_run)
    except CheckFailed:
        if not _mixes(module, rng, width):
            raise
        check(_run_apart)


# -- is it attention at all? ---------------------------------------------------------------------


def _bend(module, rng, width):
    """How far the output is from a straight line in x, or 0 where equal samples get unequal outputs."""
    x, step = rng(1, 5, width, dtype=torch.float32), rng(1, 5, width, dtype=torch.float32)
    samples = [x, x, x + step, x - step]

    def run(stacked):
        out = output_of(module(stacked), tuple(stacked.shape), OUT).detach().to(torch.float64)
        return out.nan_to_num(0, 0, 0)  # an empty first row is not asked about here

    here, again, there, back = run(torch.cat(samples))
    if not bool((here - again).abs().max() < STILL):  # perhaps the samples of a batch are mixed up: each by itself
        here, again, there, back = torch.cat([run(sample) for sample in samples])
    same = bool((here - again).abs().max() < STILL)
    return float((there + back - 2 * here).abs().max()) if same else 0.0


def _alive(module, rng, width):
    """Pass only if the module attends; returns it."""
    expect.that(_bend(module, rng, width) > BENT, DEAD)
    return module


def _living(student, rng, width, kind=SELF, **options):
    """A filled module that attends, its parameters and its number of heads: one, or two where one alone is dead.

    With one head the layout of split and merge cannot matter; but a softmax over the heads leaves nothing of one.
    """
    made = _made(student, width, 1, kind, **options)
    if _bend(_filled(made, rng), rng, width) > BENT:
        return *made, 1
    made = _made(student, width, 2, kind, **options)
    _alive(_filled(made, rng), rng, width)
    return *made, 2


def _class_alive(student, rng, kind):
    """Pass only if the class makes something that attends."""
    _living(student, rng, 12, kind)


# -- reading weights and scale from the output ---------------------------------------------------


def _spell(made, width, tokens, sizes):
    """Load weights with which values spell out their token: a feature holds ``sizes[t]`` for its own token t, else 0.

    ``tokens [T, C]`` are independent rows. Each three rows of the projection after each other stand for one token, so
    query, key and value are the same, however the packed features are ordered. The layer out hands everything through.
    """
    time = tokens.shape[0]
    dual = torch.linalg.pinv(tokens) * sizes  # [C, T]: tokens @ dual is diagonal
    zero = torch.zeros(3 * width, dtype=tokens.dtype)
    _load(made, dual[:, _stands_for(3 * width, time)].T, zero, torch.eye(width), zero[:width])


def _stands_for(features, time):
    """Which token each feature stands for: 0 0 0 1 1 1 ... and round again."""
    return torch.arange(features) // 3 % time


def _spelled(student, rng, time, kind=SELF, **options):
    """A module with one head and width 6T whose values spell out their tokens; what ``_weights_read`` needs of it."""
    width = 6 * time
    made = module, _names = _made(student, width, 1, kind, **options)
    tokens, sizes = rng(time, width), torch.linspace(0.3, 0.6, time, dtype=torch.float64)
    _spell(made, width, tokens, sizes)
    alone = _run(module, tokens.float()[:, None])[:, 0]  # [T, C]: each token by itself gets its own value
    idle = torch.zeros_like(alone)
    spells = (alone > 0.5 * sizes.min()).float()
    if not bool((spells.sum(dim=1) == 6).all()):
        idle = _idle(made, width, tokens.float()[:, None])[:, 0]
        _spell(made, width, tokens, sizes)
        spells = (alone - idle > 0.5 * sizes.min()).float()
    features = spells.argmax(dim=0) if bool((spells.sum(dim=1) == 6).all()) else _stands_for(width, time)
    return module, tokens.float(), sizes, features.argsort(stable=True).reshape(time, 6), idle


def _idle(made, width, x):
    """What comes out where all values are zero: x itself, where a residual is added inside. Loads parameters."""
    zero = torch.zeros(3 * width)
    _load(made, torch.zeros(3 * width, width), zero, torch.eye(width), zero[:width])
    return _run(made[0], x)


def _weights_read(spelled, batch, **named):
    """The weights of a ``_spelled`` module, read from its output six times over: ``[6, B, T, T]``."""
    module, tokens, sizes, features, idle = spelled
    out = _run(module, tokens.expand(batch, *tokens.shape).contiguous(), **named) - idle
    return out[..., features].permute(3, 0, 1, 2) / sizes


def _measured(student, rng, width, heads):
    """The student's own factor on q kT and the sum of a row of weights, or None where they cannot be read.

    Two tokens, an odd number of heads, D a multiple of six: every head, however it was cut out, meets the same two
    tokens, and the double difference of the logarithms of its four weights is size^2 * D * factor.
    """
    size = 0.5
    made = _made(student, width, heads)
    tokens = rng(2, width)
    _spell(made, width, tokens, torch.full((2,), size, dtype=torch.float64))
    x = tokens.float().expand(2, 2, width).contiguous()
    out = _run(made[0], x) / size
    found = _factor_in(out, size**2 * (width // heads), width)
    if found is None or abs(found[1] - 1) > 1e-3:
        idle = _idle(made, width, x) / size
        if float(idle.abs().max()) > STILL:  # a residual stands in the way
            found = _factor_in(out - idle, size**2 * (width // heads), width)
    return found


def _factor_in(out, unit, width):
    """(factor, row sum) as told by two tokens whose double difference of q kT is ``unit``; None if nothing is seen."""
    seen = out[out > 1e-6]
    if seen.numel() == 0:
        return None
    low = seen.min()
    above = seen[seen > 1.0005 * low]
    high = above.min() if above.numel() else low
    own = _stands_for(width, 2) == torch.arange(2)[:, None]  # [token, feature]
    sign = 1.0 if bool((out * own).sum() >= (out * ~own).sum()) else -1.0
    return sign * 2 * float((high / low).log()) / unit, float(high + low)


def _known_factors(width, heads):
    """Factors that are often met, by name."""
    features = width // heads
    known = {"1": 1.0, "1/D": 1 / features, "1/sqrt(d_model)": 1 / math.sqrt(width), "1/d_model": 1 / width}
    return known | {"sqrt(D)": math.sqrt(features), "1/sqrt(n_heads)": 1 / math.sqrt(heads)}


def _of_length(factor, width, heads):
    """Whether a factor, measured on two tokens, is one over the root of their number."""
    return abs(factor - math.sqrt(0.5)) < 1e-3 and abs(factor * math.sqrt(width // heads) - 1) > 1e-2


def _own_scale(student, rng, width, heads, time):
    """(factor, row sum) to compare given weights at: the right ones where the student's are, or where it has none."""
    right = 1 / math.sqrt(width // heads)
    factor, row = _measured(student, rng, width, heads) or (right, 1.0)
    if abs(factor) < 1e-3 * right:  # uniform weights have no scale
        return right, 1.0
    if _of_length(factor, width, heads):
        factor = 1 / math.sqrt(time)
    for exact in (right, *_known_factors(width, heads).values()):
        if abs(factor - exact) < 1e-3 * exact:
            return exact, 1.0 if abs(row - 1) < 1e-3 else row
    return factor, 1.0 if abs(row - 1) < 1e-3 else row


# -- what should come out ------------------------------------------------------------------------


def _expected(reference, heads, weights, x, own, causal=False):
    """(output, weights) of the reference under given weights, at the student's own scale and row sum."""
    w_in, b_in, w_out, b_out = weights
    width = w_out.shape[0]
    on_query, on_value = own[0] * math.sqrt(width // heads), own[1]
    times = torch.tensor([on_query, 1.0, on_value], dtype=x.dtype).repeat_interleave(width)
    module = reference.MultiHeadSelfAttention(width, heads, causal=causal).to(x.dtype).eval()
    values = {"qkv_proj.weight": times[:, None] * w_in, "qkv_proj.bias": times * b_in}
    return functional_call(module, values | {"out_proj.weight": w_out, "out_proj.bias": b_out}, (x, None, True))


def _split(student, t, heads):
    batch, time, width = t.shape
    what = Text(en="what split_heads gives the module", zh="split_heads 交给模块的结果")
    return expect.tensor(student.split_heads(t, heads), (batch, heads, time, width // heads), t.dtype, what)


def _followed(student, heads, projected, own):
    """Merged values ``[B, T, C]`` of an attention that goes through the student's own split_heads and merge_heads."""
    q, k, v = (_split(student, t, heads) for t in projected.chunk(3, dim=-1))
    values = own[1] * (own[0] * q @ k.mT).softmax(-1) @ v
    what = Text(en="what merge_heads gives the module", zh="merge_heads 交给模块的结果")
    shape = (*projected.shape[:2], projected.shape[2] // 3)
    return expect.finite(expect.tensor(student.merge_heads(values), shape, values.dtype, what), what, OUT_AXES).detach()


# -- split_heads and merge_heads -----------------------------------------------------------------


def _numbered(*shape, dtype):
    return torch.arange(math.prod(shape), dtype=dtype).reshape(shape)


def _dealt(x, heads):
    """[B, T, C] -> [B, H, T, D] by its index formula: out[b, h, t, d] = x[b, t, h D + d]."""
    batch, time, width = x.shape
    features = width // heads
    b, h, t, d = torch.meshgrid(*map(torch.arange, (batch, heads, time, features)), indexing="ij")
    return x[b, t, h * features + d]


def _gathered(x):
    """[B, H, T, D] -> [B, T, H D] by its index formula: out[b, t, c] = x[b, c div D, t, c mod D]."""
    batch, heads, time, features = x.shape
    b, t, c = torch.meshgrid(*map(torch.arange, (batch, time, heads * features)), indexing="ij")
    return x[b, c // features, t, c % features]


def _with_edges(batch, time, width, heads):
    """A size, and the same with one sample, one token, one head and one feature a head."""
    edges = (1, time, width, heads), (batch, 1, width, heads), (batch, time, width, 1), (batch, time, width, width)
    return (batch, time, width, heads), *edges


SIZES = [(2, 5, 12, 3), (3, 4, 15, 3), (4, 4, 6, 2)]  # all different; B = H; B = T
HEAD_AXES = ("batch", "head", "token", "feature")


@criterion("split_layout")
@pytest.mark.parametrize(("size", "dtype"), [(SIZES[0], "float64"), (SIZES[1], "float32"), (SIZES[2], "float64")])
def test_split_puts_every_feature_in_its_head(student, size, dtype):
    """Head h of split_heads holds the features h*D to (h+1)*D - 1 of every token."""
    for batch, time, width, heads in _with_edges(*size):
        x = _numbered(batch, time, width, dtype=getattr(torch, dtype))
        shape = (batch, heads, time, width // heads)
        got = expect.tensor(student.split_heads(x, heads), shape, x.dtype, "split_heads(x)")
        expect.close(got, _dealt(x, heads), atol=0, rtol=0, what="split_heads(x)", axes=HEAD_AXES)


@criterion("split_layout")
def test_split_passes_gradients_back(student, rng):
    """Gradients flow back through split_heads to the right features, and x is left as it was."""
    x, spread = rng(3, 4, 10).requires_grad_(), rng(3, 5, 4, 2)
    got = expect.tensor(student.split_heads(x, 5), (3, 5, 4, 2), x.dtype, "split_heads(x)")
    expect.gradients(got, [x], ["x"])
    (found,) = torch.autograd.grad((got * spread).sum(), [x])
    expect.close(found, _gathered(spread), atol=1e-8, rtol=0, what=_gradient("x"), axes=OUT_AXES)
    expect.unchanged(student.watch("split_heads", x.detach(), 5), x.detach(), what=["x"])


@criterion("merge_layout")
@pytest.mark.parametrize(("size", "dtype"), [(SIZES[0], "float64"), (SIZES[1], "float32"), (SIZES[2], "float64")])
def test_merge_puts_every_feature_back(student, size, dtype):
    """Token t of merge_heads holds the slices of all heads side by side, head 0 first."""
    for batch, time, width, heads in _with_edges(*size):
        x = _numbered(batch, heads, time, width // heads, dtype=getattr(torch, dtype))
        got = expect.tensor(student.merge_heads(x), (batch, time, width), x.dtype, "merge_heads(x)")
        expect.close(got, _gathered(x), atol=0, rtol=0, what="merge_heads(x)", axes=OUT_AXES)


@criterion("merge_layout")
def test_merge_passes_gradients_back(student, rng):
    """Gradients flow back through merge_heads to the right features, and x is left as it was."""
    x, spread = rng(3, 5, 4, 2).requires_grad_(), rng(3, 4, 10)
    got = expect.tensor(student.merge_heads(x), (3, 4, 10), x.dtype, "merge_heads(x)")
    expect.gradients(got, [x], ["x"])
    (found,) = torch.autograd.grad((got * spread).sum(), [x])
    expect.close(found, _dealt(spread, 5), atol=1e-8, rtol=0, what=_gradient("x"), axes=HEAD_AXES)
    expect.unchanged(student.watch("merge_heads", x.detach()), x.detach(), what=["x"])


def _gradient(name):
    return Text(en=f"the gradient of {name}", zh=f"{name} 的梯度")


# -- head counts that do not fit -----------------------------------------------------------------


@criterion("bad_head_count")
def test_split_refuses_heads_that_do_not_fit(student, rng):
    """split_heads raises ValueError where the features cannot be dealt out evenly."""
    x = rng(2, 4, 10)
    one, again, other = (
        expect.tensor(student.split_heads(at, 5), what="split_heads(x, 5)") for at in (x, x, rng(2, 4, 10))
    )
    lost = Text(en="split_heads(x, 5) loses or adds numbers", zh="split_heads(x, 5) 丢失或多出了数")
    expect.that(one.numel() == x.numel(), lost)
    expect.same(one, again, atol=0, rtol=0, what="split_heads(x, 5)")
    expect.differs(one, other, by=1e-3, what="split_heads(x, 5)")
    for heads in (3, 4, 20):
        expect.raises(
            ("ValueError",),
            lambda heads=heads: student.split_heads(x, heads),
            Text(en=f"split_heads(x, {heads}) with 10 features", zh=f"10 个特征时 split_heads(x, {heads})"),
        )


@criterion("bad_head_count")
@pytest.mark.parametrize("kind", [SELF, CAUSAL])
def test_constructor_refuses_heads_that_do_not_fit(student, rng, kind):
    """The constructor raises ValueError where d_model is not a multiple of n_heads."""
    _class_alive(student, rng, kind)
    make = getattr(student, kind)
    for width, heads in ((10, 3), (7, 2), (4, 8)):
        expect.raises(("ValueError",), lambda w=width, h=heads: make(w, h), f"{kind}({width}, {heads})")


# -- parameters ----------------------------------------------------------------------------------


@criterion("parameters")
@pytest.mark.parametrize(
    ("kind", "layers"), [(SELF, ["qkv_proj"]), (SELF, ["out_proj"]), (CAUSAL, ["qkv_proj", "out_proj"])]
)
def test_layers_have_the_names_and_shapes_of_the_contract(student, rng, kind, layers):
    """qkv_proj goes from d_model to 3*d_model features, out_proj from d_model to d_model; both have a bias."""
    _class_alive(student, rng, kind)
    found = getattr(student, kind)(10, 5).parameters_()
    names = ", ".join(list(found)[:12]) or "-"
    for layer in layers:
        rows = 30 if layer == "qkv_proj" else 10
        for part, shape in ((f"{layer}.weight", (rows, 10)), (f"{layer}.bias", (rows,))):
            absent = Text(
                en=f"{kind} has no parameter {part}; it has: {names}", zh=f"{kind} 没有参数 {part}；现有的是：{names}"
            )
            expect.that(part in found, absent)
            expect.tensor(found[part], shape, what=Text(en=f"the parameter {part}", zh=f"参数 {part}"))


# -- shape, type and form of the result ----------------------------------------------------------


def _check_alone(module, x):
    expect.tensor(module(x), tuple(x.shape), x.dtype, OUT)


def _check_with_weights(module, x, heads):
    batch, time, _ = x.shape
    asked = Text(en="the result with return_weights=True", zh="return_weights=True 时的结果")
    out, weights = expect.pair(module(x, return_weights=True), asked)
    expect.tensor(out, tuple(x.shape), x.dtype, OUT)
    expect.tensor(weights, (batch, heads, time, time), x.dtype, WEIGHTS)


@criterion("output_shape")
def test_output_comes_alone(student, rng):
    """forward(x) gives one tensor of the shape of x."""
    _class_alive(student, rng, SELF)
    for width, heads, time in ((8, 1, 5), (12, 3, 1)):  # one head, or one token: layout cannot matter
        module = _filled(_made(student, width, heads), rng)
        _check_alone(module, rng(2, time, width, dtype=torch.float32))


@criterion("output_shape")
def test_output_comes_with_weights(student, rng):
    """forward(x, return_weights=True) gives the tuple (output, weights [B, H, T, T])."""
    _class_alive(student, rng, SELF)
    for width, heads, time in ((8, 1, 5), (12, 3, 1)):
        module = _filled(_made(student, width, heads), rng)
        _check_with_weights(module, rng(2, time, width, dtype=torch.float32), heads)


@criterion("output_shape")
@needs("split_layout", "merge_layout")
def test_several_heads_have_a_table_each(student, rng):
    """With several heads the output is [B, T, C] and the weights are [B, H, T, T]."""
    _class_alive(student, rng, SELF)
    for batch, time, width, heads in SIZES:
        module = _filled(_made(student, width, heads), rng)
        x = rng(batch, time, width, dtype=torch.float32)
        _check_alone(module, x)
        _check_with_weights(module, x, heads)


@criterion("output_shape")
def test_float64_stays_float64(student, rng):
    """In float64 the output and the weights are float64."""
    _class_alive(student, rng, SELF)
    module = _filled(_made(student, 8, 1, causal=True), rng)
    module.to_(torch.float64)
    x = rng(3, 5, 8)
    expect.tensor(output_of(module(x), (3, 5, 8), OUT), (3, 5, 8), torch.float64, OUT)
    value = module(x, return_weights=True)
    for t in value if isinstance(value, tuple | list) else (value,):
        expect.tensor(t, dtype=torch.float64, what=Text(en="a result", zh="结果"))


@criterion("output_shape")
def test_causal_class_gives_the_same_forms(student, rng):
    """CausalSelfAttention gives its results in the same forms."""
    _class_alive(student, rng, CAUSAL)
    module = _filled(_made(student, 8, 1, CAUSAL), rng)
    x = rng(2, 5, 8, dtype=torch.float32)
    _check_alone(module, x)
    _check_with_weights(module, x, 1)


@criterion("output_shape")
def test_module_leaves_its_input_alone(student, rng):
    """The module does not change x."""
    _class_alive(student, rng, SELF)
    module = _filled(_made(student, 8, 1), rng)
    x = rng(3, 5, 8, dtype=torch.float32)
    call = module.watch(x)
    output_of(call.value, (3, 5, 8), OUT)
    expect.unchanged(call, x, what=["x"])


# -- given weights -------------------------------------------------------------------------------


def _is_near(got, want):
    return bool(((got - want).abs() <= ATOL + RTOL * want.abs()).all())


def _check_last_token(student, reference, rng, width, heads):
    own = _own_scale(student, rng, width, heads, 5)
    made = _made(student, width, heads)
    w_in, b_in, w_out, b_out = weights = _load(made, *_drawn(rng, width))
    x = rng(2, 5, width, dtype=torch.float32)
    got = _run(made[0], x)[:, -1:]
    want = _expected(reference, heads, weights, x, own)[0][:, -1:].detach()
    if heads > 1 and not _is_near(got, want):  # perhaps right save for the student's own split_heads and merge_heads
        followed = _followed(student, heads, x @ w_in.T + b_in, own) @ w_out.T + b_out
        if _is_near(got, followed[:, -1:]):
            _alive(made[0], rng, width)
            return
    last = Text(en="the output of the last token", zh="最后一个 token 的输出")
    expect.close(got, want, atol=ATOL, rtol=RTOL, what=last, axes=OUT_AXES)


@criterion("given_weights")
def test_last_token_has_the_right_numbers(student, reference, rng):
    """With given weights the last token gets the right output (at the scale your module uses)."""
    _check_last_token(student, reference, rng, 12, 1)


@criterion("given_weights")
@needs("heads_independent")
def test_last_token_of_several_heads_has_the_right_numbers(student, reference, rng):
    """With several heads, too, the last token gets the right output (at the scale your module uses)."""
    _check_last_token(student, reference, rng, 18, 3)


@criterion("given_weights")
@needs("split_layout", "merge_layout", "heads_independent", "future_invariance")
@pytest.mark.parametrize(("batch", "time", "width", "heads"), [(2, 7, 30, 5), (3, 3, 18, 3)])
def test_every_token_has_the_right_numbers(student, reference, rng, batch, time, width, heads):
    """With given weights every token gets the right output (at the scale your module uses)."""
    own = _own_scale(student, rng, width, heads, time)
    made = _made(student, width, heads)
    weights = _load(made, *_drawn(rng, width))
    x = rng(batch, time, width, dtype=torch.float32)
    want = _expected(reference, heads, weights, x, own)[0]
    expect.close(_run(made[0], x), want, atol=ATOL, rtol=RTOL, what=OUT, axes=OUT_AXES)


@criterion("given_weights")
@needs("split_layout", "merge_layout", "heads_independent", "future_invariance", "output_shape")
def test_numbers_and_tables_in_float64(student, reference, rng):
    """In float64 output and returned weights are right, plain and causal (at the scale your module uses)."""
    own = _own_scale(student, rng, 18, 3, 5)
    for causal in (False, True):
        made = _made(student, 18, 3, causal=causal)
        made[0].to_(torch.float64)
        weights = _load(made, *_drawn(rng, 18, torch.float64))
        x = rng(2, 5, 18)
        out, table = expect.pair(made[0](x, return_weights=True))
        want = _expected(reference, 3, weights, x, own, causal)
        expect.close(out, want[0], atol=ATOL, rtol=RTOL, what=OUT, axes=OUT_AXES)
        expect.close(table, want[1] * own[1], atol=ATOL, rtol=RTOL, what=WEIGHTS)


@criterion("given_weights")
@needs("future_invariance")
def test_causal_class_has_the_right_numbers(student, reference, rng):
    """With given weights CausalSelfAttention gives every token the right output (at the scale your module uses)."""
    own = _own_scale(student, rng, 12, 1, 6)
    made = _made(student, 12, 1, CAUSAL)
    weights = _load(made, *_drawn(rng, 12))
    x = rng(3, 6, 12, dtype=torch.float32)
    want = _expected(reference, 1, weights, x, own, causal=True)[0]
    expect.close(_run(made[0], x), want, atol=ATOL, rtol=RTOL, what=OUT, axes=OUT_AXES)


def _check_gradients(student, reference, rng, width, heads):
    """Gradients of the last token's output, which sees every token whether the module is causal or not."""
    own = _own_scale(student, rng, width, heads, 5)
    made = module, names = _made(student, width, heads)
    weights = [t.requires_grad_() for t in _load(made, *_drawn(rng, width))]
    x, spread = rng(2, 5, width, dtype=torch.float32).requires_grad_(), rng(2, 1, width, dtype=torch.float32)
    last = output_of(module(x), tuple(x.shape), OUT)[:, -1:]
    expect.gradients(last, [x], ["x"])
    module.zero_grad_()
    (on_x,) = torch.autograd.grad((last * spread.to(last.dtype)).sum(), [x])
    found = module.grads_()
    right = _expected(reference, heads, weights, x, own)[0][:, -1:]
    want = torch.autograd.grad((right * spread).sum(), [x, *weights])
    expect.close(on_x, want[0], atol=GRADIENT_ATOL, rtol=GRADIENT_RTOL, what=_gradient("x"), axes=OUT_AXES)
    layers, out = _layers(names, width)
    parts = *zip(layers, want[1].chunk(len(layers)), want[2].chunk(len(layers)), strict=True), (out, want[3], want[4])
    for layer, on_weight, on_bias in parts:
        for part, should in ((f"{layer}.weight", on_weight), (f"{layer}.bias", on_bias)):
            if part in names:
                grad = expect.tensor(found.get(part), what=_gradient(part))
                expect.close(
                    grad, should, atol=GRADIENT_ATOL, rtol=GRADIENT_RTOL, what=_gradient(part), axes=("row", "column")
                )


@criterion("given_weights")
def test_every_parameter_gets_its_gradient(student, reference, rng):
    """Gradients reach x and every parameter, and are right (at the scale your module uses)."""
    _check_gradients(student, reference, rng, 12, 1)


@criterion("given_weights")
@needs("split_layout", "merge_layout", "heads_independent")
def test_gradients_through_several_heads(student, reference, rng):
    """Through several heads, too, gradients reach x and every parameter (at the scale your module uses)."""
    _check_gradients(student, reference, rng, 18, 3)


# -- scale ---------------------------------------------------------------------------------------


def _scaled_over_heads(student, rng):
    """Whether weights that are shared out among three heads are those of well scaled scores, as the table tells."""
    module, names = _made(student, 18, 3)
    _alive(_filled((module, names), rng), rng, 18)
    w_in, b_in, _, _ = _load((module, names), *_drawn(rng, 18))
    x = rng(2, 4, 18, dtype=torch.float32)
    value = module(x, return_weights=True)
    items = value if isinstance(value, tuple | list) else ()
    tables = [t for t in items if isinstance(t, torch.Tensor) and t.shape == (2, 3, 4, 4)]
    if not tables or not bool((tables[0] > 0).all()):
        return False
    table = tables[0].detach().double()
    q, k, _ = (_dealt(t, 3) for t in (x @ w_in.T + b_in).double().chunk(3, dim=-1))
    found, plain = table.log(), q @ k.mT / math.sqrt(6)
    for axis in (1, 2, 3):
        found, plain = found.diff(dim=axis), plain.diff(dim=axis)
    whole = bool((table.sum(dim=1) - 1).abs().max() < 1e-3)
    return whole and bool((found - plain).abs().max() < 1e-3 * plain.abs().max())


def _check_scale(student, rng, width, heads):
    measured = _measured(student, rng, width, heads)
    unreadable = Text(en="no attention weights can be read from the output", zh="无法从输出中读出注意力权重")
    expect.that(measured is not None, unreadable)
    factor, row = measured
    right = 1 / math.sqrt(width // heads)
    for mixed in (math.sqrt(heads), heads):
        if abs(factor - mixed * right) < 2e-3 * right:
            factor = right  # one head of all features, or all heads summed, well scaled: heads_independent owns that
    if abs(factor) < 1e-3 * right and _scaled_over_heads(student, rng):
        return  # a softmax over the heads: given_weights and heads_independent own that
    known = _known_factors(width, heads)
    expect.factor(torch.tensor([factor]), torch.ones(1), right, rtol=2e-3, known=known)
    after = Text(
        en=f"the weights of a row sum to {row:.4g}, expected 1: is the scale applied after the softmax?",
        zh=f"一行权重之和是 {row:.4g}，应当是 1：是否在 softmax 之后才缩放？",
    )
    expect.that(abs(row - 1) < 1e-3, after)


@criterion("head_scale")
def test_scale_with_one_head(student, rng):
    """With one head the dot products are divided by sqrt(D)."""
    _check_scale(student, rng, 12, 1)


@criterion("head_scale")
@pytest.mark.parametrize(("width", "heads"), [(18, 3), (60, 5)])
def test_scale_belongs_to_one_head(student, rng, width, heads):
    """The dot products are divided by the square root of D = d_model / n_heads."""
    _check_scale(student, rng, width, heads)


# -- heads ---------------------------------------------------------------------------------------


def _moved(run, w_in, changes):
    """bool ``[N, T, C]``: which merged values move when the packed projection changes, by each of N changes."""
    base = run(w_in)
    return torch.stack([((run(w_in + change) - base).abs() > STILL).any(dim=0) for change in changes])


def _groups(moved):
    """Sizes of the groups of features that move together; ``moved [N, T, C]``."""
    groups = []
    for one in moved:
        features = set(one.any(dim=0).nonzero().flatten().tolist())
        joined = [g for g in groups if g & features]
        groups = [g for g in groups if not g & features] + [features.union(*joined)]
    return sorted(len(g) for g in groups if g)


@criterion("heads_independent")
@pytest.mark.parametrize(("width", "heads"), [(6, 2), (6, 3)])
def test_a_head_moves_only_its_own_slice(student, rng, width, heads):
    """Changing one head's part of query, key and value moves only that head's slice of the output."""
    made = module, names = _made(student, width, heads)
    _alive(_filled(made, rng), rng, width)
    w_in, b_in, _, _ = _drawn(rng, width)
    x = rng(1, 4, width, dtype=torch.float32)  # one sample: what passes between samples belongs to given_weights
    _, b_in, _, _ = _load(made, w_in, b_in, torch.eye(width), torch.zeros(width))
    layers, _ = _layers(names, width)

    def run(rows):
        module.load_({f"{layer}.weight": part for layer, part in zip(layers, rows.chunk(len(layers)), strict=True)})
        return _run(module, x)

    rows = torch.arange(3 * width)
    drawn = 1.5 * rng(3 * width, width, dtype=torch.float32)
    by_feature = [drawn * (rows % width == feature)[:, None] for feature in range(width)]
    by_row = [drawn * (rows == row)[:, None] for row in range(3 * width)]
    right = [width // heads] * heads
    sizes = _groups(_moved(run, w_in, by_feature))
    if sizes != right:  # another order of the packed rows is no mixing of heads: look at each row by itself
        moved = _moved(run, w_in, by_row)
        sizes = _groups(moved)
    if sizes == right:
        return
    expect.that(bool(sizes) and max(sizes) > 1, DEAD)
    own = 1 / math.sqrt(width // heads), 1.0  # which values move does not depend on the scale
    followed = _moved(lambda rows: _followed(student, heads, x @ rows.T + b_in, own).double(), w_in, by_row)
    mixed = Text(
        en=f"the output's features move in groups of {sizes}; {heads} heads give {heads} groups of {width // heads}",
        zh=f"输出的特征以 {sizes} 为组一起变化；{heads} 个头应当给出 {heads} 组、每组 {width // heads} 个",
    )
    expect.that(bool((moved == followed).all()), mixed)


@criterion("heads_independent")
@needs("split_layout", "merge_layout")
def test_every_head_looks_over_all_tokens(student, rng):
    """In every head the last token's output depends on every token before it, but not on their order."""
    width, heads, time = 15, 3, 5
    made = _made(student, width, heads)
    w_in, b_in, _, _ = _drawn(rng, width)
    _load(made, w_in, b_in, torch.eye(width), torch.zeros(width))
    x, change = 0.5 * rng(2, time, width, dtype=torch.float32), 0.5 * rng(2, width, dtype=torch.float32)
    changed = [x.clone() for _ in range(time - 1)]
    for token, other in enumerate(changed):
        other[:, token] += change
    swapped = x[:, [2, 0, 3, 1, 4]]
    module, stacked = _alive(made[0], rng, width), torch.cat([x, swapped, *changed])
    out = _run(module, stacked)
    if not bool((out[:2] - _run(module, x)).abs().max() < STILL):  # samples are mixed up: each by itself
        out = _run_apart(module, stacked)
    base, order, *others = out[:, -1].reshape(-1, 2, width)
    for token, other in enumerate(others):
        still = int(((other - base).abs().amax(dim=0) <= STILL).sum())
        blind = Text(
            en=f"token {token} does not reach {still} of the {width} features of the last token's output",
            zh=f"最后一个 token 的输出有 {still} 个特征（共 {width} 个）不受第 {token} 个 token 影响",
        )
        expect.that(still == 0, blind)
    orders = Text(
        en="the order of the earlier tokens changes the last token's output: tokens and features are mixed up",
        zh="前面 token 的顺序改变了最后一个 token 的输出：token 轴与特征轴混在了一起",
    )
    expect.same(order, base, atol=ATOL, rtol=RTOL, why=orders)


# -- no future -----------------------------------------------------------------------------------


def _reach(module, rng, width, time, run=_run):
    """``[T, T]``: by how much row i of the output moves (second axis) when token j of x changes (first axis)."""
    x, change = 0.5 * rng(1, time, width, dtype=torch.float32), rng(1, time, width, dtype=torch.float32)
    changed = x + torch.eye(time)[:, :, None] * change
    out = run(module, torch.cat([x, changed]))
    return (out[1:] - out[:1]).abs().amax(dim=-1)


def _check_reach(sizes, reach):
    """Token j must move row i exactly where ``reach[j, i]``."""
    for token, row in ((sizes > STIRRED) != reach).nonzero().tolist():
        blind = Text(
            en=f"changing token {token} does not move the output of token {row}, which should see it",
            zh=f"改动第 {token} 个 token 后，应该看到它的第 {row} 个 token 的输出却没有变",
        )
        leak = Text(
            en=f"changing token {token} moves the output of token {row}, which must not see it",
            zh=f"改动第 {token} 个 token 后，不该看到它的第 {row} 个 token 的输出变了",
        )
        expect.that(False, blind if reach[token, row] else leak, f"moved by {float(sizes[token, row]):.3g}")


def _check_table(spelled, **named):
    """The weights of later tokens are zero, those of all others are not."""
    weights = _weights_read(spelled, 1, **named)
    later = torch.ones(weights.shape[-2:]).triu(1).bool()
    expect.below(weights * later, 1e-6, Text(en="the weight of a later token", zh="后面的 token 的权重"))
    unseen = Text(en="a token that may be seen has no weight", zh="可以看到的 token 没有权重")
    expect.that(bool((weights[..., ~later] > 1e-6).all()), unseen)


def _sums_over_keys(student, rng):
    """Whether the weights of a row sum to one number. If those of a column do, every row moves with every token."""
    if not _readable(_made(student, 24, 1)[1], 24):
        return True
    rows = _weights_read(_spelled(student, rng, 4), 1)[0].sum(dim=-1)
    return bool((rows.max() - rows.min()).abs() < 1e-2)


def _scales_by_length(student, rng):
    """Whether the scale depends on the number of tokens (head_scale says so): then no length gets what another gets."""
    measured = _measured(student, rng, 12, 1) if _readable(_made(student, 12, 1)[1], 12) else None
    return measured is not None and _of_length(measured[0], 12, 1)


def _check_causal(student, rng, module, time, width):
    """Output row i moves with token j exactly where j <= i; where a wrong softmax blurs that, by the weights alone."""
    reach = torch.ones(time, time).triu().bool()  # [changed token, row]
    sizes = _reach(module, rng, width, time)
    if bool(((sizes > STIRRED) == reach).all()):
        return
    if _mixes(module, rng, width):
        sizes = _reach(module, rng, width, time, _run_apart)
    if bool(((sizes > STIRRED) == reach).all()) or _sums_over_keys(student, rng):
        _check_reach(sizes, reach)
    else:
        _check_table(_spelled(student, rng, 4, causal=True))


KINDS = [(SELF, {"causal": True}), (CAUSAL, {})]


@criterion("future_invariance")
@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_no_token_sees_a_later_one(student, rng, kind, options):
    """Changing token j moves the outputs of token j and of later ones, and no others."""
    _check_causal(student, rng, _living(student, rng, 10, kind, **options)[0], 5, 10)


@criterion("future_invariance")
@needs("padding_in_module")
@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_no_token_sees_a_later_one_under_a_padding_mask(student, rng, kind, options):
    """With a padding mask, too (here one that keeps every token), no token sees a later one."""
    time, width = 4, 24
    all_real = torch.ones(1, time, dtype=torch.bool)
    module, names, _ = _living(student, rng, width, kind, **options)
    if _readable(names, width):
        _check_table(_spelled(student, rng, time, kind, **options), padding_mask=all_real)
        return
    x, change = rng(1, time, width, dtype=torch.float32), rng(1, width, dtype=torch.float32)
    base = _run(module, x, padding_mask=all_real)
    for token in range(1, time):
        other = x.clone()
        other[:, token] += change
        earlier = Text(
            en=f"under a padding mask, changing token {token} moves the output of an earlier token",
            zh=f"给出填充掩码时，改动第 {token} 个 token 后，前面 token 的输出变了",
        )
        got = _run(module, other, padding_mask=all_real)
        expect.same(got[:, :token], base[:, :token], atol=ATOL, rtol=RTOL, why=earlier)


@criterion("future_invariance")
@needs("split_layout", "merge_layout", "heads_independent")
@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_no_head_sees_a_later_token(student, rng, kind, options):
    """With several heads, too, changing token j moves the outputs of token j and of later ones, and no others."""
    for time, width, heads in ((7, 15, 3), (4, 20, 5)):  # the second time T + 1 samples are as many as the heads
        module = _alive(_filled(_made(student, width, heads, kind, **options), rng), rng, width)
        _check_causal(student, rng, module, time, width)


@criterion("future_invariance")
def test_one_module_serves_every_length(student, rng):
    """One causal module works for sequences of any length, one after the other."""
    module, _, _ = _living(student, rng, 8, causal=True)
    x = rng(2, 9, 8, dtype=torch.float32)
    whole = _run(module, x)
    pieces = {time: _run(module, x[:, :time].contiguous()) for time in (4, 1, 7)}
    near = all(_is_near(piece, whole[:, :time]) for time, piece in pieces.items())
    if near or (_sums_over_keys(student, rng) and not _scales_by_length(student, rng)):
        for time, piece in pieces.items():
            lengths = Text(
                en=f"the first {time} of 9 tokens get other outputs alone than with later tokens behind them",
                zh=f"9 个 token 中的前 {time} 个，单独输入与后面跟着其他 token 时的输出不同",
            )
            expect.same(piece, whole[:, :time], atol=ATOL, rtol=RTOL, why=lengths)
    else:
        _check_table(_spelled(student, rng, 4, causal=True))


@criterion("future_invariance")
def test_without_causal_the_future_is_visible(student, rng):
    """causal=False (the default) lets every token see every other; causal=True does not."""
    _check_causal(student, rng, _living(student, rng, 8, causal=True)[0], 4, 8)
    module, _, _ = _living(student, rng, 8)
    _check_reach(_reach(module, rng, 8, 4), torch.ones(4, 4, dtype=torch.bool))


# -- padding -------------------------------------------------------------------------------------

REAL = {  # samples of five tokens; 1 = a real token
    "right": [[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]],
    "left": [[0, 0, 1, 1, 1], [0, 1, 1, 1, 1], [0, 0, 0, 1, 1]],
    "inner": [[1, 0, 1, 1, 0], [0, 1, 0, 1, 1], [1, 1, 0, 0, 1]],
    "all": [[1, 1, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 0, 0, 0]],
    "front": [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]],
    "mixed": [[0, 1, 1, 1, 0], [1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 1, 1, 0]],
}
NO_EFFECT = Text(en="the padding mask has no effect", zh="填充掩码没有作用")


def _real(where):
    return torch.tensor(REAL[where], dtype=torch.bool)


def _judged(real):
    """The real tokens but the first of each sample: whether it sees itself is asked elsewhere."""
    return real & (real.cumsum(dim=-1) > 1)


def _check_unseen(module, rng, width, real, run=_run):
    """What stands in padding tokens moves no real token's output; what stands in real tokens does."""
    batch, time = real.shape
    x, change = rng(batch, time, width, dtype=torch.float32), rng(batch, time, width, dtype=torch.float32)
    garbage = torch.where(real[..., None], x, rng.uniform(-9, 9, batch, time, width).float())
    zeros, step = x * real[..., None], change * real[..., None]
    stacked, judged = torch.cat([x, garbage, zeros, x + step, x - step]), _judged(real)
    out = run(module, stacked, judged.repeat(5, 1), padding_mask=real.repeat(5, 1))
    base, with_garbage, with_zeros, there, back = (part[judged] for part in out.chunk(5))
    reached = Text(
        en="a real token's output changes when only the padding does", zh="只改动填充时，真实 token 的输出变了"
    )
    for other in (with_garbage, with_zeros):
        expect.same(other, base, atol=ATOL, rtol=RTOL, why=reached)
    blind = Text(
        en="with a padding mask a real token's output ignores x", zh="给出填充掩码后，真实 token 的输出与 x 无关"
    )
    expect.that(bool(((there - base).abs().amax(dim=-1) > STILL).all()), blind)
    expect.that(bool((there + back - 2 * base).abs().max() > BENT), DEAD)


def _check_each_by_itself(student, module, rng, width, real, run=_run):
    """Every sample of a padded batch gets what it gets alone, cut to its real tokens."""
    batch, time = real.shape
    x = rng(batch, time, width, dtype=torch.float32)
    judged = _judged(real)
    together = run(module, x, judged, padding_mask=real)
    cuts = True
    for sample in range(batch):
        keep, mine = real[sample], together[sample, judged[sample]]
        all_real = torch.ones(1, int(keep.sum()), dtype=torch.bool)
        alone = _run(module, x[sample : sample + 1, keep].contiguous(), _judged(all_real), padding_mask=all_real)[0, 1:]
        if cuts and not _is_near(mine, alone):
            cuts = not _scales_by_length(student, rng)
        if not cuts:  # another length has another scale: alone, but at full length
            one = real[sample : sample + 1]
            alone = _run(module, x[sample : sample + 1], _judged(one), padding_mask=one)[0, judged[sample]]
        apart = Text(
            en=f"sample {sample} of a padded batch gets another output than alone, without padding",
            zh=f"带填充的批次中，第 {sample} 个样本的输出与它单独（不带填充）时不同",
        )
        expect.same(mine, alone, atol=ATOL, rtol=RTOL, why=apart)


@criterion("padding_in_module")
@pytest.mark.parametrize(("where", "causal"), [("right", False), ("inner", False), ("left", True)])
def test_padding_moves_no_real_token(student, rng, where, causal):
    """What stands in the padding (right, left or between) moves no real token's output."""
    module, _, _ = _living(student, rng, 8, causal=causal)
    _judge(lambda run: _check_unseen(module, rng, 8, _real(where), run), module, rng, 8)


@criterion("padding_in_module")
@pytest.mark.parametrize("causal", [False, True])
def test_padded_batch_equals_each_sample_alone(student, rng, causal):
    """Every sample of a ragged batch gets the output it gets alone, without padding."""
    module, _, _ = _living(student, rng, 8, causal=causal)
    for where in ("left", "front") if causal else ("inner", "mixed"):  # three samples, then B = T
        real = _real(where)
        _judge(lambda run, real=real: _check_each_by_itself(student, module, rng, 8, real, run), module, rng, 8)


@criterion("padding_in_module")
@needs("split_layout", "merge_layout", "heads_independent")
@pytest.mark.parametrize(("width", "heads", "causal"), [(15, 5, False), (12, 3, True)])
def test_padding_is_unseen_in_every_head(student, rng, width, heads, causal):
    """With several heads, too, padding moves no real token and changes no sample (also where B = H or B = T)."""
    module = _alive(_filled(_made(student, width, heads, causal=causal), rng), rng, width)
    _judge(lambda run: _check_unseen(module, rng, width, _real("left"), run), module, rng, width)
    for where in ("left", "front") if causal else ("inner", "mixed"):  # B = 3, then B = T = 5: as many as heads, too
        real = _real(where)
        _judge(lambda run, real=real: _check_each_by_itself(student, module, rng, width, real, run), module, rng, width)


@criterion("padding_in_module")
@pytest.mark.parametrize(("where", "causal"), [("right", False), ("inner", False), ("left", True), ("all", False)])
def test_padding_rows_are_zero_before_the_output_layer(student, rng, where, causal):
    """The output of a padding token is what the output layer makes of zeros: its bias."""
    module, names, _ = _living(student, rng, 8, causal=causal)
    made = module, names
    w_in, b_in, w_out, b_out = _drawn(rng, 8)
    x, real = rng(3, 5, 8, dtype=torch.float32), _real(where)
    later = ~real & (torch.arange(5) > 0)
    _load(made, torch.zeros_like(w_in), torch.zeros_like(b_in), w_out, b_out)
    of_zeros = _run(module, x, later)
    of_zeros = torch.where(of_zeros.isfinite(), of_zeros, of_zeros[0, -1])  # an empty first row is not asked about here
    _load(made, w_in, b_in, w_out, b_out)
    plain = _run(module, x, later)
    got = _run(module, x, ~real, padding_mask=real)
    expect.differs(got[later], plain[later], by=1e-3, why=NO_EFFECT)
    what = Text(en="the output of a padding token", zh="填充 token 的输出")
    expect.close(got[~real], of_zeros[~real], atol=ATOL, rtol=RTOL, what=what, axes=("padding token", "feature"))


@criterion("padding_in_module")
@needs("output_shape")
def test_weights_of_padding_are_zero(student, rng):
    """In the returned weights the rows and the columns of padding tokens are zero."""
    module, _, heads = _living(student, rng, 8)
    real = _real("mixed")
    _, weights = expect.pair(module(0.5 * rng(5, 5, 8, dtype=torch.float32), padding_mask=real, return_weights=True))
    weights = expect.finite(expect.tensor(weights, (5, heads, 5, 5), what=WEIGHTS).detach(), WEIGHTS)
    seen = (real[:, :, None] & real[:, None, :])[:, None]
    expect.below(weights * ~seen, 1e-6, Text(en="the weight of a padding token", zh="填充 token 的权重"))
    unseen = Text(en="a real token gives another real token no weight", zh="真实 token 之间的权重为零")
    expect.that(bool((weights.tril()[seen.tril().expand_as(weights)] > 1e-6).all()), unseen)


@criterion("padding_in_module")
def test_padding_mask_of_true_changes_nothing(student, rng):
    """A mask of True everywhere gives what None gives, one with False something else; and the mask stays as it was."""
    module, _, _ = _living(student, rng, 8)
    x, real = rng(3, 5, 8, dtype=torch.float32), _real("inner")
    plain, kept = _run(module, x), _run(module, x, padding_mask=torch.ones_like(real))
    none = Text(en="a padding mask of True everywhere changes the output", zh="全为 True 的填充掩码改变了输出")
    expect.same(kept, plain, atol=ATOL, rtol=RTOL, why=none)
    expect.differs(_run(module, x, real, padding_mask=real)[real], plain[real], by=1e-3, why=NO_EFFECT)
    call = module.watch(x, real)
    if bool((call.inputs[0] != x).any()) and bool((module.watch(x).inputs[0] != x).any()):
        x = call.inputs[0]  # it changes without a mask, too: output_shape says so
    expect.unchanged(call, x, real, what=["x", Text(en="the padding mask", zh="填充掩码")])


@criterion("padding_in_module")
def test_padding_leaves_gradients_finite(student, rng):
    """With padding, even of a whole sample, no gradient is NaN."""
    module, _, _ = _living(student, rng, 8)
    real = _real("all")
    x = rng(3, 5, 8, dtype=torch.float32).requires_grad_()
    got = output_of(module(x, padding_mask=real), (3, 5, 8), OUT)
    plain = _run(module, x.detach())
    expect.differs(expect.finite(got.detach(), OUT, OUT_AXES)[~real], plain[~real], by=1e-3, why=NO_EFFECT)
    if not got.requires_grad:
        return  # cut off from x: given_weights says so
    module.zero_grad_()
    (on_x,) = torch.autograd.grad((got * rng(3, 5, 8).to(got.dtype)).sum(), [x], allow_unused=True)
    for name, grad in {"x": on_x, **module.grads_()}.items():
        if grad is not None:
            expect.finite(grad.detach(), _gradient(name), ("row", "column"))


# -- dropout -------------------------------------------------------------------------------------


@criterion("dropout_modes")
@pytest.mark.parametrize("kind", [SELF, CAUSAL])
def test_dropout_rests_in_eval_mode(student, rng, kind):
    """In eval mode, or with dropout=0, nothing is dropped: call after call gives the same; in training it does not."""
    plain, _, heads = _living(student, rng, 8, kind)
    module, _ = _made(student, 8, heads, kind, dropout=0.5)
    _load_as_in(module, plain)
    student.seed(rng.number(0, 1 << 30))
    x = rng(3, 6, 8, dtype=torch.float32)
    later = torch.arange(6).expand(3, 6) > 0
    base = _run(plain, x, later)[later]
    plain.train_()
    changed = Text(en="with dropout=0 training mode changes the output", zh="dropout=0 时训练模式改变了输出")
    expect.same(_run(plain, x, later)[later], base, atol=ATOL, rtol=RTOL, why=changed)
    module.train_()
    active = Text(en="dropout=0.5 changes nothing in training mode", zh="训练模式下 dropout=0.5 没有任何作用")
    expect.differs(_run(module, x, later)[later], base, by=1e-3, why=active)
    module.eval_()
    awake = Text(en="in eval mode dropout=0.5 changes the output", zh="eval 模式下 dropout=0.5 改变了输出")
    for _ in range(2):
        expect.same(_run(module, x, later)[later], base, atol=ATOL, rtol=RTOL, why=awake)


@criterion("dropout_modes")
@pytest.mark.parametrize(("kind", "rate"), [(SELF, 0.4), (CAUSAL, 0.25)])
def test_dropout_acts_on_the_weights(student, rng, kind, rate):
    """In training mode every weight becomes 0 or is divided by 1 - dropout; nothing else is dropped."""
    _class_alive(student, rng, kind)
    plain = _spelled(student, rng, 4, kind)
    base = _weights_read(plain, 1)[0]
    module, _ = _made(student, 24, 1, kind, dropout=rate)
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
