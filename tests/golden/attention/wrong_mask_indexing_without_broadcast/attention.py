import torch


def attention_scores(q, k):
    return torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    scores = scores.clone()
    if mask is not None:
        scores[mask == 0] = -1e9
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask.bool()
    return weights


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("...qk,...kd->...qd", weights, v), weights
