from collections import namedtuple

import torch

Result = namedtuple("Result", "output weights")


def attention_scores(q, k):
    return torch.inner(q, k) / q.shape[-1] ** 0.5 if q.dim() == 2 else \
        torch.stack([attention_scores(a, b) for a, b in zip(q.unbind(0), k.unbind(0))])


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.nn.functional.softmax(scores, scores.dim() - 1)
    mask = torch.as_tensor(mask).ne(0).broadcast_to(scores.shape)
    drop = mask.logical_not()
    w = torch.nn.functional.softmax(scores.masked_fill(drop, -1e9), scores.dim() - 1)
    return w.masked_fill(drop, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return Result(output=w @ v, weights=w)
