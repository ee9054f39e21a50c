"""Ways to read what an implementation computes, whatever it returns and however it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.checks import wording
from grader.errors import CheckFailed
from grader.model.course import Text


def differences(x: Tensor) -> Tensor:
    """Double differences ``[..., m - 1, n - 1]`` over the last two axes of ``x [..., m, n]``.

    Whatever is constant along a row or along a column falls out. So for ``x = log(weights)`` the
    normaliser of a softmax over either axis is gone, and what is left is scale times the same of q kT.
    """
    return x[..., 1:, 1:] - x[..., :-1, 1:] - x[..., 1:, :-1] + x[..., :-1, :-1]


def output_of(value: object, shape: tuple[int, ...], what: Text | str = "the output") -> Tensor:
    """The first tensor of ``shape`` in a result: alone, or in a tuple or list of any order.

    For checks that are about something else than the form of the result, which has a criterion of its own.
    """
    candidates = list(value) if isinstance(value, tuple | list) else [value]
    for item in candidates:
        if isinstance(item, Tensor) and tuple(item.shape) == tuple(shape):
            return item if item.is_floating_point() else item.to(torch.float64)
    raise CheckFailed(wording.no_such_tensor(what, shape, value))


def values_by_head(value: object, shape: tuple[int, int, int, int], what: Text | str = "the values") -> Tensor:
    """``[B, H, T, D]`` in a result, also where the heads were brought behind the tokens, or joined as well.

    ``shape`` has to be such that the forms cannot be mistaken for each other. Some criterion charges for the form.
    """
    b, h, t, d = shape
    parts = list(value) if isinstance(value, tuple | list) else [value]
    tensors = [item for item in parts if isinstance(item, Tensor)]
    if not any(tuple(item.shape) == tuple(shape) for item in tensors):
        for item in tensors:
            if tuple(item.shape) in ((b, t, h, d), (b, t, h * d)):
                return item.reshape(b, t, h, d).transpose(1, 2)
    return output_of(value, shape, what)


def weights_of(call: Callable[..., Any], q: Tensor, k: Tensor, *rest: Any, **named: Any) -> Tensor:
    """The weights ``[..., Tq, Tk]`` of any implementation: with V = identity its output is its weights."""
    tk = k.shape[-2]
    eye = torch.eye(tk, dtype=k.dtype).expand(*k.shape[:-2], tk, tk).contiguous()
    shape = (*q.shape[:-1], tk)
    what = Text(en="the output (with V = identity)", zh="输出（V 取单位矩阵时）")
    return output_of(call(q, k, eye, *rest, **named), shape, what)
