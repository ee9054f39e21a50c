import torch


def causal_mask(t, device=None):
    idx = torch.arange(t, device=device)
    return torch.ge(idx.unsqueeze(1), idx.unsqueeze(0))[None, None]


def causal_attention(q, k, v, causal=True):
    scores = q.matmul(k.transpose(-2, -1)).div(q.size(-1) ** 0.5)
    if causal:
        limit = torch.full_like(scores, float("inf"))
        limit = limit.masked_fill(causal_mask(q.size(-2), q.device).logical_not(), float("-inf"))
        scores = torch.minimum(scores, limit)
    weights = scores.softmax(dim=-1)
    values = weights.matmul(v)
    return (values, weights)
