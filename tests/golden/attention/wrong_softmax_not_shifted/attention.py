import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / (q.shape[-1] ** 0.5)


def attention_weights(scores, mask=None):
    exps = torch.exp(scores)
    if mask is not None:
        exps = exps * mask
    total = exps.sum(dim=-1, keepdim=True)
    return exps / torch.where(total == 0, torch.ones_like(total), total)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(weights, v), weights
