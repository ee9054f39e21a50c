"""Attention by hand: from the fixed average to weights of its own, in NumPy, one step a function.

Letters: T tokens, C features, Tq queries, Tk keys, D features of a query or key, Dv features of a value.
Replace every ``raise NotImplementedError`` by your own code; keep the names and the parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def causal_average(x: np.ndarray) -> np.ndarray:
    """The fixed average that attention improves on.

    Args:
        x: [T, C].

    Returns:
        [T, C]; row i is the mean of rows 0..i of x, row i included.
    """
    raise NotImplementedError("TODO: causal_average")


def dot_scores(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """How well each query fits each key.

    Args:
        q: [Tq, D].
        k: [Tk, D].

    Returns:
        [Tq, Tk]; entry [i, j] is the plain dot product of query i and key j (no scaling here).
    """
    raise NotImplementedError("TODO: dot_scores")


def scale_scores(scores: np.ndarray, d_k: int) -> np.ndarray:
    """Scores divided by the square root of d_k.

    Args:
        scores: an array of any shape.
        d_k: the width of the vectors the scores were made from.

    Returns:
        an array of the same shape.
    """
    raise NotImplementedError("TODO: scale_scores")


def softmax(scores: np.ndarray) -> np.ndarray:
    """Positive shares that add up to one along the last axis.

    Args:
        scores: an array of one or more axes; its entries may be as large as 10000 or as small as -10000.

    Returns:
        an array of the same shape.
    """
    raise NotImplementedError("TODO: softmax")


def weighted_sum(weights: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The values, added up by their weights.

    Args:
        weights: [Tq, Tk].
        v: [Tk, Dv].

    Returns:
        [Tq, Dv].
    """
    raise NotImplementedError("TODO: weighted_sum")


def worked_example() -> dict[str, Any]:
    """Your own calculation for the third token of the three in the handout.

    Returns:
        {"scores": three numbers, "scaled": three numbers, "weights": three numbers, "output": two numbers}, as lists
        or arrays; exact or rounded to two decimals, worked out on paper or with the functions above.
    """
    raise NotImplementedError("TODO: worked_example")


def score_variance(d_k: int, n_pairs: int, seed: int) -> tuple[float, float]:
    """How far dot products spread, before and after scaling.

    Args:
        d_k: the number of entries of each vector.
        n_pairs: how many pairs of independent standard normal vectors to draw.
        seed: makes the draw repeatable; another seed gives other pairs.

    Returns:
        (raw, scaled): the variances over the pairs of q·k and of q·k / sqrt(d_k).
    """
    raise NotImplementedError("TODO: score_variance")
