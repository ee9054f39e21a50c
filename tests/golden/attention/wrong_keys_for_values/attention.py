import math

import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(k.size(-1))


def attention_weights(scores, mask=None):
    if mask is not None:
        drop = mask.eq(0)
        return torch.softmax(scores.masked_fill(drop, -1e9), dim=-1).masked_fill(drop, 0.0)
    return torch.softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    context = torch.matmul(w, k)
    return context, w
