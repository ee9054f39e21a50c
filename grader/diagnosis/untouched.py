"""Whether a mistake changes anything in a test, told by the calls alone: far less than the whole test asks.

A check sees nothing but answers. Where each call that right code was asked is answered to the last bit alike, the test
goes the same way from the first question to the last.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import torch


@dataclass(frozen=True, slots=True)
class Made:
    """A plain call of right code: copies of what it was given, and what it answered."""

    function: str
    args: tuple[Any, ...]
    named: dict[str, Any]
    value: Any


def answers_alike(module: ModuleType, calls: Sequence[Made], copy: Callable[[Any], Any]) -> bool:
    """Whether the functions of another module answer these calls to the last bit alike."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return all(
                _identical(getattr(module, call.function)(*copy(call.args), **copy(call.named)), call.value)
                for call in calls
            )
    except Exception:  # it raises where right code does not
        return False


def _identical(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.requires_grad == b.requires_grad and torch.equal(a, b)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(_identical, a, b))
    return isinstance(a, bool | int | float | str | None) and a == b
