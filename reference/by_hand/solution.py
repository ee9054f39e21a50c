"""From the fixed average to attention in NumPy, one step a function."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def causal_average(x: Array) -> Array:
    """x ``[T, C]`` -> ``[T, C]``; row i is the mean of rows 0..i."""
    totals = np.cumsum(x, axis=0)
    counts = np.arange(1, len(x) + 1)
    return totals / counts[:, None]


def dot_scores(q: Array, k: Array) -> Array:
    """q ``[Tq, D]``, k ``[Tk, D]`` -> ``[Tq, Tk]``."""
    return q @ k.T


def scale_scores(scores: Array, d_k: int) -> Array:
    """Scores of any shape, divided by the square root of the width they were summed over."""
    return scores / np.sqrt(d_k)


def softmax(scores: Array) -> Array:
    """Over the last axis; the largest score of a row is taken off first, so that nothing overflows."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    powers = np.exp(shifted)
    return powers / powers.sum(axis=-1, keepdims=True)


def weighted_sum(weights: Array, v: Array) -> Array:
    """weights ``[Tq, Tk]``, v ``[Tk, Dv]`` -> ``[Tq, Dv]``."""
    return weights @ v


def worked_example() -> dict[str, Any]:
    """The third token of 合同 / 违约金 / 过高, step by step."""
    query = np.array([[1.0, 1.0]])
    keys = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    values = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    scores = dot_scores(query, keys)
    scaled = scale_scores(scores, 2)
    weights = softmax(scaled)
    output = weighted_sum(weights, values)
    return {"scores": scores[0], "scaled": scaled[0], "weights": weights[0], "output": output[0]}


def score_variance(d_k: int, n_pairs: int, seed: int) -> tuple[float, float]:
    """The variances of q·k and of q·k/√d_k over pairs of standard normal vectors."""
    draw = np.random.default_rng(seed)
    q = draw.standard_normal((n_pairs, d_k))
    k = draw.standard_normal((n_pairs, d_k))
    raw = (q * k).sum(axis=1)
    scaled = scale_scores(raw, d_k)
    return float(raw.var()), float(scaled.var())
