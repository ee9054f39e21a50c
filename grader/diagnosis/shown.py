"""Values the way they are written on paper: lists, whole numbers as they are, others with two decimals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from torch import Tensor


def shown(value: Any, with_dtype: bool = False) -> str:
    """``tensor([[1., 0.7071]])`` is ``[[1, 0.71]]``, with its dtype behind it on request; a tuple stays one."""
    if isinstance(value, Tensor | np.ndarray | np.generic):
        numbers = shown(value.detach().tolist() if isinstance(value, Tensor) else value.tolist())
        return f"{numbers} ({str(value.dtype).removeprefix('torch.')})" if with_dtype else numbers
    if isinstance(value, tuple):
        return "(" + ", ".join(shown(item, with_dtype) for item in value) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(shown(item, with_dtype) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {shown(item, with_dtype)}" for key, item in value.items()) + "}"
    if isinstance(value, float):
        return _number(value)
    return repr(value) if isinstance(value, bool | int | str | None) else f"a {type(value).__name__}"


def _number(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    rounded = round(value, 2) + 0.0  # no negative zero
    return f"{rounded:g}" if rounded == int(rounded) or abs(rounded) >= 1000 else f"{rounded:.2f}"
