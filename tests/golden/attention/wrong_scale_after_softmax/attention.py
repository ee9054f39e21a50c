import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1)


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    off = mask == 0
    return torch.softmax(scores.masked_fill(off, -1e9), dim=-1).masked_fill(off, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = attention_scores(q, k)
    weights = attention_weights(scores, mask) / q.shape[-1] ** 0.5
    return weights @ v, weights
