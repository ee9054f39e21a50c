"""Comparisons that explain themselves.

Each looks at type, then shape, then dtype, then finiteness, then values; none broadcasts; NaN never
passes; every one is written as "pass only if". A failure is a ``CheckFailed`` with a note for a learner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grader.checks import room, wording
from grader.errors import CheckFailed, GraderFault, StudentRaised
from grader.model.course import Text
from grader.student import Call

AXES = ("batch", "head", "query", "key")


def that(ok: bool, note: Text, detail: str = "") -> None:
    """Pass only if ``ok`` is True."""
    if ok is not True:
        raise CheckFailed(note, detail)


def tensor(
    x: object, shape: Sequence[int] | None = None, dtype: torch.dtype | None = None, what: Text | str = "the result"
) -> Tensor:
    """``x`` as a tensor of exactly this shape and dtype."""
    if not isinstance(x, Tensor):
        raise CheckFailed(wording.not_a(what, Text(en="a tensor", zh="一个张量"), x))
    if shape is not None and tuple(x.shape) != tuple(shape):
        raise CheckFailed(wording.wrong_shape(what, tuple(x.shape), tuple(shape)))
    if dtype is not None and x.dtype != dtype:
        raise CheckFailed(wording.wrong_dtype(what, str(x.dtype)[6:], str(dtype)[6:]))
    return x


def array(
    x: object, shape: Sequence[int] | None = None, what: Text | str = "the result", lists: bool = False
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """``x`` as a float64 (or bool) NumPy array of exactly this shape; lists of numbers only where allowed."""
    if isinstance(x, np.generic) or (lists and isinstance(x, list | tuple | int | float) and not isinstance(x, bool)):
        try:
            x = np.asarray(x)
        except ValueError:  # ragged
            x = None
    if isinstance(x, Tensor) and lists:
        x = x.numpy() if x.dtype != torch.bfloat16 else x.double().numpy()
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "fiub":
        raise CheckFailed(wording.not_a(what, Text(en="a NumPy array of numbers", zh="由数组成的 NumPy 数组"), x))
    if shape is not None and x.shape != tuple(shape):
        raise CheckFailed(wording.wrong_shape(what, x.shape, tuple(shape)))
    return x if x.dtype.kind == "b" else x.astype(np.float64)


def pair(x: object, what: Text | str = "the result") -> tuple[Tensor, Tensor]:
    """``x`` as a tuple of exactly two tensors."""
    if isinstance(x, tuple) and len(x) == 2 and all(isinstance(item, Tensor) for item in x):
        return x[0], x[1]
    raise CheckFailed(wording.not_a(what, Text(en="a tuple of two tensors", zh="由两个张量组成的元组"), x))


def finite(t: Tensor, what: Text | str = "the result", axes: tuple[str, ...] = AXES) -> Tensor:
    """Pass only if every entry is finite."""
    fine = np.isfinite(_number(t, what).numpy())  # of NumPy: a third of the time for arrays this small
    if not fine.all():
        index = _first(torch.from_numpy(~np.atleast_1d(fine)).reshape(fine.shape))
        raise CheckFailed(wording.not_finite(what, wording.position(index, axes), float(t.detach()[index])))
    return t


def close(
    got: object,
    want: Any,
    *,
    atol: float,
    rtol: float,
    what: Text | str = "the result",
    axes: tuple[str, ...] = AXES,
) -> None:
    """Pass only if shapes agree, both are finite and ``|got - want| <= atol + rtol |want|`` everywhere."""
    g, w = _comparable(got, want, what)
    finite(g, what, axes)
    room.used((g - w).abs(), atol + rtol * w.abs())
    off = ~((g - w).abs() <= atol + rtol * w.abs())
    if bool(off.any()):
        index = _first(off)
        size = float(((g - w).abs() / (atol + rtol * w.abs())).max())
        note = wording.wrong_value(
            what,
            wording.position(index, axes),
            wording.number(float(g[index])),
            wording.number(float(w[index])),
            int(off.sum()),
            off.numel(),
        )
        raise CheckFailed(note, f"{note.en}; worst error {size:.3g} x (atol {atol:g} + rtol {rtol:g} |want|)")


def same(
    a: object, b: Any, *, atol: float, rtol: float, what: Text | str = "the result", why: Text | None = None
) -> None:
    """Student against student: pass only if two answers that should agree do."""
    try:
        close(a, b, atol=atol, rtol=rtol, what=what)
    except CheckFailed as failed:
        raise (CheckFailed(why, failed.detail) if why else failed) from None


def differs(a: Any, b: Any, *, by: float, what: Text | str = "the result", why: Text | None = None) -> None:
    """Pass only if two finite answers differ by at least ``by`` somewhere: the function is alive."""
    g, w = _comparable(a, b, what)
    finite(g, what)
    finite(w, what)
    name = wording.both(what)
    if not (g.numel() > 0 and float((g - w).abs().max()) >= by):
        note = why or Text(
            en=f"{name.en} does not change when its inputs do",
            zh=f"输入改变时，{name.zh}没有跟着改变",
        )
        raise CheckFailed(note, f"{name.en}: the two answers differ by less than {by:g}")


def below(t: Tensor, limit: float, what: Text | str = "the result", axes: tuple[str, ...] = AXES) -> None:
    """Pass only if every ``|entry| < limit``."""
    over = ~(_number(t, what).abs() < limit)
    if bool(over.any()):
        index = _first(over)
        name, where, got = wording.both(what), wording.position(index, axes), wording.number(float(t.detach()[index]))
        raise CheckFailed(
            Text(en=f"{name.en} at {where} is {got}, expected 0", zh=f"{name.zh}在 {where} 处是 {got}，应当是 0")
        )


def positive(w: object, shape: Sequence[int], what: Text | str = "the weights") -> Tensor:
    """``w`` as a tensor of this shape, finite and above zero everywhere."""
    t = finite(tensor(w, shape, what=what), what)
    low = ~(t > 0)
    if bool(low.any()):
        index = _first(low)
        name, where, got = wording.both(what), wording.position(index, AXES), wording.number(float(t.detach()[index]))
        raise CheckFailed(
            Text(
                en=f"{name.en} at {where} is {got}; a visible key always has a weight above 0",
                zh=f"{name.zh}在 {where} 处是 {got}；可见的 key 的权重总是大于 0",
            )
        )
    return t


def factor(got: Tensor, base: Tensor, want: float, *, rtol: float, known: Mapping[str, float] | None = None) -> float:
    """Pass only if ``got = want * base`` as one number; names a known wrong factor. Returns the estimate."""
    g, b = _comparable(got, base, "the scores")
    finite(g, "the scores")
    estimate = float((g * b).sum() / (b * b).sum())
    rest = float((g - estimate * b).abs().max() / (b.abs().max() * max(abs(estimate), 1e-12)))
    if rest > max(10 * rtol, 1e-2):
        raise CheckFailed(
            Text(
                en="the scores are not the dot products times one number",
                zh="分数不等于点积乘以同一个数",
            ),
            f"residual {rest:.3g} around the factor {estimate:.6g}",
        )
    room.used(abs(estimate - want), rtol * abs(want))
    if not abs(estimate - want) <= rtol * abs(want):
        named = {name: value for name, value in (known or {}).items() if name != f"{value:g}"}
        called = next((n for n, v in named.items() if abs(estimate - v) <= rtol * abs(v)), "")
        also = Text(en=f" (that is {called})", zh=f"（即 {called}）") if called else Text(en="", zh="")
        raise CheckFailed(
            Text(
                en=f"the dot products are multiplied by {estimate:.4g}{also.en}, expected {want:.4g}",
                zh=f"点积被乘以 {estimate:.4g}{also.zh}，应当乘以 {want:.4g}",
            )
        )
    return estimate


def mask(got: object, want: Tensor, what: Text | str = "the mask") -> None:
    """Pass only if ``got`` is a bool tensor of the same shape and the same truth table."""
    truth(tensor(got, tuple(want.shape), torch.bool, what), want, what)


def truth(got: object, want: Tensor, what: Text | str = "the mask") -> None:
    """The same truth table, as bool or 0/1 numbers, in any shape that differs by axes of length one."""
    t = tensor(got, what=what)
    long = [n for n in t.shape if n != 1]
    if long != [n for n in want.shape if n != 1]:
        raise CheckFailed(wording.wrong_shape(what, tuple(t.shape), tuple(want.shape)))
    number = t.to(torch.float64).reshape(want.shape)
    wrong = ~(number == want.to(torch.float64))
    if bool(wrong.any()):
        index = _first(wrong)
        name, where = wording.both(what), wording.position(index, AXES)
        should = bool(want[index])
        raise CheckFailed(
            Text(
                en=f"{name.en} at {where} should be {should}; {int(wrong.sum())} of {wrong.numel()} entries are wrong",
                zh=f"{name.zh}在 {where} 处应当是 {should}；{wrong.numel()} 个元素中有 {int(wrong.sum())} 个不对",
            )
        )


def raises(kinds: Sequence[str], call: Callable[[], object], what: Text | str = "the call") -> None:
    """Pass only if the student's code raises one of ``kinds`` (or a subclass of it)."""
    name = wording.both(what)
    try:
        call()
    except StudentRaised as raised:
        if any(kind in raised.kinds for kind in kinds):
            return
        raise
    raise CheckFailed(
        Text(
            en=f"{name.en} should raise {kinds[0]}; it went through",
            zh=f"{name.zh}应当抛出 {kinds[0]}，实际却没有报错",
        )
    )


def unchanged(call: Call, *originals: object, what: Sequence[Text | str] = ()) -> None:
    """Pass only if the positional arguments of a watched call are afterwards what they were."""
    for i, (after, before) in enumerate(zip(call.inputs, originals, strict=False)):
        if not _identical(after, before):
            name = wording.both(what[i]) if i < len(what) else Text(en=f"argument {i + 1}", zh=f"第 {i + 1} 个参数")
            raise CheckFailed(
                Text(
                    en=f"the function changed {name.en} that was handed to it; work on a copy",
                    zh=f"函数改动了传入的{name.zh}；请在副本上操作",
                )
            )


def gradients(
    output: object, inputs: Sequence[Tensor], what: Sequence[Text | str] = (), nonzero: bool = True
) -> tuple[Tensor, ...]:
    """The gradients of ``(output * fixed weights).sum()``: present, finite and, if asked, not all zero.

    ``inputs`` require grad on our side and went into the call that gave ``output``.
    """
    out = tensor(output, what="the result")
    if not out.requires_grad:
        raise CheckFailed(
            Text(
                en="the result is cut off from its inputs: no gradient can flow back "
                "(detach, .data, NumPy or a new tensor?)",
                zh="结果与输入断开了：梯度传不回去（是否用了 detach、.data、NumPy 或新建的张量？）",
            )
        )
    spread = torch.linspace(0.5, 1.5, max(out.numel(), 1), dtype=out.dtype)[: out.numel()].reshape(out.shape)
    found = torch.autograd.grad((out * spread).sum(), list(inputs), allow_unused=True, retain_graph=True)
    for i, grad in enumerate(found):
        name = wording.both(what[i]) if i < len(what) else Text(en=f"argument {i + 1}", zh=f"第 {i + 1} 个参数")
        if grad is None:
            raise CheckFailed(
                Text(en=f"no gradient reaches {name.en}", zh=f"梯度传不到{name.zh}"),
            )
        finite(grad, Text(en=f"the gradient of {name.en}", zh=f"{name.zh}的梯度"))
        if nonzero and not bool((grad != 0).any()):
            raise CheckFailed(Text(en=f"the gradient of {name.en} is all zero", zh=f"{name.zh}的梯度全为零"))
    return tuple(found)


def _number(t: object, what: Text | str) -> Tensor:
    return tensor(t, what=what).detach().to(torch.float64)


def _comparable(got: object, want: Any, what: Text | str) -> tuple[Tensor, Tensor]:
    """Both as float64 tensors of one shape. A wrong ``want`` is our own fault."""
    is_numpy = isinstance(got, np.ndarray | np.generic)
    g = torch.from_numpy(np.ascontiguousarray(array(got, what=what))) if is_numpy else got
    w = torch.as_tensor(want)
    t = tensor(g, what=what)
    if tuple(t.shape) != tuple(w.shape):
        raise CheckFailed(wording.wrong_shape(what, tuple(t.shape), tuple(w.shape)))
    if not isinstance(w, Tensor):
        raise GraderFault("a check compares with something that is no tensor")
    return t.detach().to(torch.float64), w.detach().to(torch.float64)


def _first(bad: Tensor) -> tuple[int, ...]:
    return tuple(int(i) for i in bad.nonzero()[0])


def _identical(a: object, b: object) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        b = b.detach()
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        return bool(((a == b) | ((a != a) & (b != b))).all())
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    return type(a) is type(b) and a == b
