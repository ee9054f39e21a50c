import math

import torch


def causal_mask(t, device=None):
    return torch.tril(torch.ones(t, t, dtype=torch.bool, device=device))[None, None]


def causal_attention(q, k, v, causal=True):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if causal:
        mask = causal_mask(q.size(-2), q.device)
        scores = scores.masked_fill(~mask, float("inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights
