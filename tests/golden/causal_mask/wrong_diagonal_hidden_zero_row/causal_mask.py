import torch


def causal_mask(t, device=None):
    return torch.tril(torch.ones(t, t, device=device)).bool()[None, None]


def causal_attention(q, k, v, causal=True):
    T = q.size(-2)
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if causal:
        past = torch.arange(T).view(1, T) < torch.arange(T).view(T, 1)
        scores = scores.masked_fill(~past.to(q.device), float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return weights @ v, weights
