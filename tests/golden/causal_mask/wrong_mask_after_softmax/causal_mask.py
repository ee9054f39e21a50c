import math

import torch


def causal_mask(t, device=None):
    return torch.tril(torch.ones(t, t, dtype=torch.bool, device=device))[None, None]


def causal_attention(q, k, v, causal=True):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = torch.softmax(scores, dim=-1)
    if causal:
        weights = weights * causal_mask(q.size(-2), q.device)
    return weights @ v, weights
