import torch


def attention_scores(q, k):
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(-2, -1))
    return scores / d_k


def attention_weights(scores, mask=None):
    visible = torch.ones_like(scores) if mask is None else mask.to(scores)
    weights = torch.softmax(scores + (1 - visible) * -1e9, dim=-1)
    return weights * visible


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(weights, v), weights
