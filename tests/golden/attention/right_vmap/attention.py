import math
import torch
from torch import Tensor


def _row(q: Tensor, k: Tensor) -> Tensor:
    """One query [D] against all keys [Tk, D]."""
    return k @ q / math.sqrt(q.shape[0])


def _matrix(q: Tensor, k: Tensor) -> Tensor:
    return torch.vmap(_row, in_dims=(0, None))(q, k)


def attention_scores(q: Tensor, k: Tensor) -> Tensor:
    f = _matrix
    for _ in range(q.dim() - 2):
        f = torch.vmap(f)
    return f(q, k)


def attention_weights(scores: Tensor, mask: "Tensor | None" = None) -> Tensor:
    if mask is None:
        return scores.softmax(-1)
    closed = mask.reshape(mask.shape) == 0
    w = scores.masked_fill(closed, -1e9).softmax(-1)
    return w.masked_fill(closed, 0.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
