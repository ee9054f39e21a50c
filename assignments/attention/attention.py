"""Scaled dot-product attention: scores, weights, output.

Letters: Tq queries, Tk keys, D features of a query or key, Dv features of a value; ``...`` is any number of leading
axes (none; a batch; a batch and heads). A mask says what a query MAY look at: True, or a nonzero number, is visible.
Replace every ``raise NotImplementedError`` by your own code; keep the names and the parameters.
"""

from __future__ import annotations

import torch


def attention_scores(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """One scaled score for each query and each key.

    Args:
        q: [..., Tq, D].
        k: [..., Tk, D], with the leading axes of q.

    Returns:
        [..., Tq, Tk]: the dot product of query i and key j, scaled by the width D as the handout says.
    """
    raise NotImplementedError("TODO: attention_scores")


def attention_weights(scores: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    """Turn each query's scores into shares of one among its visible keys.

    Args:
        scores: [..., Tq, Tk]; they belong to the caller and stay as they are.
        mask: bool or 0/1 numbers, broadcastable to scores; None: every key is visible.

    Returns:
        [..., Tq, Tk]. Hidden keys have no weight; a query with no visible key has zeros everywhere.
    """
    raise NotImplementedError("TODO: attention_weights")


def scaled_dot_product_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention as a whole.

    Args:
        q: [..., Tq, D].
        k: [..., Tk, D].
        v: [..., Tk, Dv].
        mask: as in attention_weights.

    Returns:
        (output [..., Tq, Dv], weights [..., Tq, Tk]), in this order, in the dtype of the inputs.
    """
    raise NotImplementedError("TODO: scaled_dot_product_attention")
