import torch
from torch import softmax


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    # masking is done by the caller
    return softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = attention_scores(q, k)
    if mask is None:
        w = attention_weights(scores)
    else:
        hidden = ~mask.bool()
        w = attention_weights(scores.masked_fill(hidden, -1e9)).masked_fill(hidden, 0)
    return w @ v, w
