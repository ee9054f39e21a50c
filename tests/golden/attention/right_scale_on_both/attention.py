import torch


def attention_scores(q, k):
    s = q.shape[-1] ** -0.25
    return (q * s) @ (k * s).transpose(-2, -1)


def attention_weights(scores, mask=None):
    if mask is None:
        mask = torch.ones_like(scores)
    mask = mask.to(scores.dtype)
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores * mask + (1 - mask) * lowest, -1)
    return weights * mask


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return weights @ v, weights
