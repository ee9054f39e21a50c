import math

import torch


def causal_mask(t, device=None):
    return torch.ones(t, t, dtype=torch.bool, device=device).tril().view(1, 1, t, t)


def casual_attention(q, k, v, causal=True):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if causal:
        scores = scores.masked_fill(~causal_mask(q.size(-2), q.device), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights
