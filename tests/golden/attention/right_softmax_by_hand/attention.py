import math

import torch


def stable_softmax(x):
    biggest, _ = x.max(dim=-1, keepdim=True)
    exps = torch.exp(x - biggest)
    return exps / exps.sum(dim=-1, keepdim=True)


def attention_scores(q, k):
    scale = 1.0 / math.sqrt(q.shape[-1])
    return torch.matmul(q * scale, k.permute(*range(k.dim() - 2), -1, -2))


def attention_weights(scores, mask=None):
    if mask is not None:
        blocked = mask == 0
        scores = scores.clone()
        scores[blocked.expand_as(scores)] = -1e10
        return stable_softmax(scores) * (~blocked)
    return stable_softmax(scores)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = attention_scores(q, k)
    weights = attention_weights(scores, mask)
    return torch.matmul(weights, v), weights
