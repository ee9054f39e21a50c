import torch


def attention_scores(q, k):
    return torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is not None:
        empty = ~(mask != 0).any(dim=-1, keepdim=True)
        scores.masked_fill_(mask == 0, -1e9)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(empty, 0.0)
    return weights


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("...qk,...kd->...qd", weights, v), weights
