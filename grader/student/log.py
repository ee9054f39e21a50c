"""The answers of one test, in order: what diagnosis compares with the answers of known mistakes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from grader.rpc.values import Encoder, Handle, Opaque

_LOOSE: Final = {torch.bfloat16: 2e-2, torch.float16: 5e-3, torch.float32: 1e-5}
_ROWS: Final = (tuple, list)
_NUMBERS: Final = (torch.Tensor, np.ndarray)
_REALS: Final = (float, np.floating)
_HOLDING: Final = (torch.Tensor, *_ROWS)
_TWO_DECIMALS: Final = 0.0055  # either may be rounded


@dataclass(frozen=True, slots=True)
class Raised:
    """The answer was an exception of this class."""

    kind: str


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer: of which function, what it was, and which arguments were changed by it, where that was asked.

    ``given`` are the arguments as they were sent; they are the same for whoever is asked, so none compares them.
    """

    function: str
    value: Any
    changed: tuple[bool, ...] = ()
    given: tuple[Any, ...] = ()
    flows: bool = False  # a gradient can go back through the value


_NAMED: Final = (Raised, Opaque, Handle)


def answered(function: str, value: Any, given: tuple[Any, ...], after: tuple[Any, ...] = ()) -> Answered:
    """An entry that holds numbers only: a graph would keep everything alive that it came from."""
    changed = tuple(_changed(before, now) for before, now in zip(given, after, strict=False))
    return Answered(function, _detached(value), changed, _detached(given), _flows(value))


def plain_name(function: str) -> str:
    """Without the note that gradients were asked for."""
    return function.removesuffix(" (gradients)")


def fingerprint(log: Sequence[Answered]) -> bytes:
    """A digest of the answers of one test, to the last bit."""
    digest = hashlib.blake2b(digest_size=16)
    for answer in log:
        encoder = Encoder()
        kind = _kinds(answer.value)
        tree = encoder.encode(answer.value)
        digest.update(repr((answer.function, kind, answer.changed, answer.flows, tree, encoder.heads)).encode())
        for data in encoder.buffers:
            digest.update(data)
    return digest.digest()


def _kinds(value: Any) -> str:
    """What stands for what has no plain form: an exception, an odd object."""
    if isinstance(value, _ROWS):
        return f"({', '.join(map(_kinds, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(map(_kinds, (*value.keys(), *value.values())))}}}"
    return value.kind if isinstance(value, _NAMED) else ""


def _changed(before: Any, now: Any) -> bool:
    numbers = isinstance(before, _NUMBERS) and type(before) is type(now)
    return numbers and not alike(before, now, 0.0, 0.0)


def _flows(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return value.requires_grad
    return isinstance(value, _ROWS) and any(map(_flows, value))


def _detached(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, _ROWS) and any(isinstance(item, _HOLDING) for item in value):
        return type(value)(_detached(item) for item in value)
    return value


def _whole(t: torch.Tensor) -> bool:
    """Integers, of any width: that they are no truth values and no real numbers is what matters."""
    return not (t.is_floating_point() or t.is_complex() or t.dtype is torch.bool)


def _same_on_paper(a: Any, b: Any) -> bool:
    """Whether two entries hold the same numbers to two decimals, as lists or arrays, in one row or in none."""
    try:
        x, y = (np.asarray(entry, dtype=np.float64).reshape(-1) for entry in (a, b))
    except (TypeError, ValueError, RuntimeError):
        return False
    return x.shape == y.shape and bool(np.allclose(x, y, atol=_TWO_DECIMALS, rtol=0.0, equal_nan=True))


def _near(x: torch.Tensor, y: torch.Tensor, atol: float, rtol: float) -> bool:
    """``torch.allclose`` with NaN like NaN, in a third of its time: it alone decides where anything is not finite."""
    off, bound = (x - y).abs_(), y.abs().mul_(rtol).add_(atol)
    if bool((off < bound).all()):
        return True
    if bool((off > bound).any()):
        return False
    return torch.allclose(x, y, atol=atol, rtol=rtol, equal_nan=True)


def alike(a: Any, b: Any, atol: float = 1e-6, rtol: float = 1e-4) -> bool:
    """Whether two answers are the same value: type, shape, dtype, and numbers within a tight tolerance. What stands in
    a dict is compared as it is written on paper.

    NaN is like NaN and infinity like the same infinity.
    """
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return _alike_tensors(a, b, atol, rtol)
    if isinstance(a, Answered) and isinstance(b, Answered):
        return (
            a.function == b.function
            and a.flows == b.flows
            and alike(a.value, b.value, atol, rtol)
            and a.changed == b.changed
        )
    if isinstance(a, _ROWS) and isinstance(b, _ROWS):
        return (
            type(a) is type(b) and len(a) == len(b) and all(alike(x, y, atol, rtol) for x, y in zip(a, b, strict=True))
        )
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
            return False
        if a.dtype.kind not in "fiub":
            return False
        return np.array_equal(a, b) or bool(np.allclose(a, b, atol=atol, rtol=rtol, equal_nan=True))
    if isinstance(a, _REALS) and isinstance(b, _REALS):
        return a == b or bool(np.isclose(a, b, atol=atol, rtol=rtol, equal_nan=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same_on_paper(a[key], b[key]) or alike(a[key], b[key]) for key in a)
    if isinstance(a, Handle) and isinstance(b, Handle):
        return True
    return type(a) is type(b) and bool(a == b)


def _alike_tensors(a: torch.Tensor, b: torch.Tensor, atol: float, rtol: float) -> bool:
    if a.dtype is b.dtype and a.is_floating_point():  # first what is most
        if a.shape != b.shape:
            return False
    elif a.shape != b.shape or not (a.dtype == b.dtype or (_whole(a) and _whole(b))):
        return False
    elif not a.is_floating_point():
        return bool(torch.equal(a.long(), b.long()) if _whole(a) else torch.equal(a, b))
    if torch.equal(a, b):
        return True
    loose = _LOOSE.get(a.dtype, 0.0)  # another order of operations, in few digits
    return _near(a.detach().double(), b.detach().double(), max(atol, loose), max(rtol, loose))
