from functools import partial

import torch


def _scores(q, k, power):
    return torch.matmul(q, k.transpose(-2, -1)) * q.shape[-1] ** power


def _weights(scores, mask=None, *, fill, dim):
    if mask is None:
        return torch.softmax(scores, dim)
    off = mask == 0
    return torch.softmax(scores.masked_fill(off, fill), dim).masked_fill(off, 0)


def _attend(q, k, v, mask=None, *, score_fn, weight_fn):
    w = weight_fn(score_fn(q, k), mask)
    return w @ v, w


attention_scores = partial(_scores, power=-0.5)
attention_weights = partial(_weights, fill=-1e6, dim=-1)
scaled_dot_product_attention = partial(_attend, score_fn=attention_scores, weight_fn=attention_weights)
