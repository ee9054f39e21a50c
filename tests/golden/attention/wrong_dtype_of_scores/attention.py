import math

import torch


def attention_scores(q, k):
    q, k = q.to(torch.float32), k.to(torch.float32)
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    off = mask.logical_not()
    return torch.softmax(scores.masked_fill(off, -torch.inf), dim=-1).masked_fill(off, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask).to(v.dtype)
    return torch.matmul(weights, v), weights
