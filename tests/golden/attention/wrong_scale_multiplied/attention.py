import math

import torch


def attention_scores(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    q = q * math.sqrt(q.shape[-1])
    return torch.matmul(q, k.mT)


def attention_weights(scores: torch.Tensor, mask=None) -> torch.Tensor:
    if mask is None:
        return torch.softmax(scores, -1)
    hidden = mask == 0
    return torch.softmax(torch.where(hidden, -torch.inf, scores), -1).masked_fill(hidden, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
