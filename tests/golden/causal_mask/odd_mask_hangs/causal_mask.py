import math

import torch


def causal_mask(t, device=None):
    mask = torch.zeros(1, 1, t, t, dtype=torch.bool, device=device)
    i = 0
    while i < t:
        mask[0, 0, i, : i + 1] = True
    return mask


def causal_attention(q, k, v, causal=True):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if causal:
        t = q.size(-2)
        future = torch.ones(t, t, device=q.device).triu(1).bool()
        scores = scores.masked_fill(future, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights
