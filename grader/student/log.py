"""The answers of one test, in order: what diagnosis compares with the answers of known mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from grader.rpc.values import Handle


@dataclass(frozen=True, slots=True)
class Raised:
    """The answer was an exception of this class."""

    kind: str


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer: of which function, what it was, and what its arguments were afterwards where asked."""

    function: str
    value: Any
    after: Any = None


def alike(a: Any, b: Any, atol: float = 1e-6, rtol: float = 1e-4) -> bool:
    """Whether two answers are the same value: type, shape, dtype, and numbers within a tight tolerance.

    NaN is like NaN and infinity like the same infinity.
    """
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if not a.is_floating_point():
            return bool(torch.equal(a, b))
        return bool(torch.allclose(a.detach().double(), b.detach().double(), atol=atol, rtol=rtol, equal_nan=True))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
            return False
        return bool(np.allclose(a, b, atol=atol, rtol=rtol, equal_nan=True)) if a.dtype.kind in "fiub" else False
    if isinstance(a, float | np.floating) and isinstance(b, float | np.floating):
        return bool(np.isclose(a, b, atol=atol, rtol=rtol, equal_nan=True))
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return (
            type(a) is type(b) and len(a) == len(b) and all(alike(x, y, atol, rtol) for x, y in zip(a, b, strict=True))
        )
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key], atol, rtol) for key in a)
    if isinstance(a, Answered) and isinstance(b, Answered):
        return a.function == b.function and alike(a.value, b.value, atol, rtol) and alike(a.after, b.after, atol, rtol)
    if isinstance(a, Handle) and isinstance(b, Handle):
        return True
    return type(a) is type(b) and bool(a == b)
