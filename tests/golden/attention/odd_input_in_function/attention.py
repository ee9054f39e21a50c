import math

import torch


def attention_scores(q, k):
    d = float(input('d_k = '))
    return q @ k.transpose(-2, -1) / math.sqrt(d)


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    hidden = mask == 0
    return torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1).masked_fill(hidden, 0.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    return weights @ v, weights
