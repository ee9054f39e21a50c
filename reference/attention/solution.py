"""Scaled dot-product attention, the way the paper writes it: softmax(Q Kᵀ / √D) V."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def attention_scores(q: Tensor, k: Tensor) -> Tensor:
    """q ``[..., Tq, D]``, k ``[..., Tk, D]`` -> ``[..., Tq, Tk]``."""
    products = q @ k.transpose(-2, -1)
    return products / math.sqrt(q.shape[-1])


def attention_weights(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Softmax over the keys; nonzero in ``mask`` means visible, a row without a visible key is all zero."""
    visible = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask != 0
    shown = scores.masked_fill(~visible, -math.inf)
    weights = torch.softmax(shown, dim=-1)
    sees_something = visible.any(dim=-1, keepdim=True)
    return weights.masked_fill(~sees_something, 0.0)


def scaled_dot_product_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The output ``[..., Tq, Dv]`` and the weights ``[..., Tq, Tk]``."""
    scores = attention_scores(q, k)
    weights = attention_weights(scores, mask)
    output = weights @ v
    return output, weights
