from __future__ import annotations

import math
from typing import Callable

import torch
import torch.nn.functional as F
from torch import Tensor


def attention_scores(q: Tensor, k: Tensor, scale: float | None = None) -> Tensor:
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    return q @ k.transpose(-2, -1) * scale


def attention_weights(scores: Tensor, mask: Tensor | None = None, dim: int = -1, *,
                      dtype: torch.dtype | None = None) -> Tensor:
    if mask is None:
        return F.softmax(scores, dim=dim, dtype=dtype)
    drop: Tensor = mask == 0
    w = F.softmax(scores.masked_fill(drop, -torch.inf), dim=dim, dtype=dtype)
    return w.masked_fill(drop, 0.0)


def scaled_dot_product_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    dropout_p: float = 0.0,
    training: bool = False,
    score_fn: Callable[[Tensor, Tensor], Tensor] = attention_scores,
) -> tuple[Tensor, Tensor]:
    w: Tensor = attention_weights(score_fn(q, k), mask)
    return F.dropout(w, dropout_p, training) @ v, w
