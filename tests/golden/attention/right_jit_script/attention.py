import math
from typing import Optional, Tuple

import torch
from torch import Tensor


@torch.jit.script
def attention_scores(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))


@torch.jit.script
def attention_weights(scores: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    if mask is None:
        return torch.softmax(scores, dim=-1)
    hidden = mask == 0
    weights = torch.softmax(scores.masked_fill(hidden, -float("inf")), dim=-1)
    return weights.masked_fill(hidden, 0.0)


@torch.jit.script
def scaled_dot_product_attention(q: Tensor, k: Tensor, v: Tensor,
                                 mask: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(weights, v), weights
