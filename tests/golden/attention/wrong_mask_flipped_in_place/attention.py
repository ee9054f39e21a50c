import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    hidden = mask.logical_not_().bool()       # True = hidden from here on
    return torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1).masked_fill(hidden, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
