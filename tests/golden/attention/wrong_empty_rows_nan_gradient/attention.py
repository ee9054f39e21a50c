import math

import torch


def attention_scores(q, k):
    return torch.einsum("...id,...jd->...ij", q, k) / math.sqrt(q.size(-1))


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    bias = torch.zeros_like(mask, dtype=scores.dtype)
    bias[mask == 0] = float("-inf")
    return torch.nan_to_num(torch.softmax(scores + bias, dim=-1))


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("...ij,...jd->...id", w, v), w
