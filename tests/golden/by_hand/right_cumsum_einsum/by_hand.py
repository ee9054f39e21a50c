from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def causal_average(x: Array) -> Array:
    return np.cumsum(x, axis=0) / np.arange(1, x.shape[0] + 1)[:, None]


def dot_scores(q: Array, k: Array) -> Array:
    return np.einsum("id,jd->ij", q, k)


def scale_scores(scores: Array, d_k: int) -> Array:
    return np.asarray(scores) * d_k ** -0.5


def softmax(scores: Array) -> Array:
    return np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))


def weighted_sum(weights: Array, v: Array) -> Array:
    return np.einsum("ij,jd->id", weights, v)


def worked_example() -> dict[str, Array]:
    q, k = np.array([1.0, 1.0]), np.array([[1.0, 0], [1, 1], [0, 1]])
    v = np.array([[1.0, 0], [0, 2], [1, 1]])
    steps = {"scores": k @ q}
    steps["scaled"] = steps["scores"] / np.sqrt(2)
    steps["weights"] = softmax(steps["scaled"])
    steps["output"] = steps["weights"] @ v
    return steps


def score_variance(d_k: int, n_pairs: int, seed: int) -> tuple[float, float]:
    q, k = np.random.default_rng(seed).normal(size=(2, n_pairs, d_k))
    dots = np.einsum("nd,nd->n", q, k)
    return float(np.var(dots, ddof=1)), float(np.var(dots / np.sqrt(d_k), ddof=1))
