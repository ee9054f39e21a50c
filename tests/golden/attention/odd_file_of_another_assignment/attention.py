import math

import torch


def causal_mask(t, device=None):
    return torch.ones(t, t, dtype=torch.bool, device=device).tril()[None, None]


def causal_attention(q, k, v, causal=True):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(~causal_mask(q.shape[-2], q.device), float('-inf'))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights
