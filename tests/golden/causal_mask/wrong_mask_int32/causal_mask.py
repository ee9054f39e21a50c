import torch


def causal_mask(t, device=None):
    return torch.ones(t, t, device=device).tril().int()[None, None]


def causal_attention(q, k, v, causal=True):
    scores = q @ k.mT * q.shape[-1] ** -0.5
    if causal:
        scores = scores.masked_fill(causal_mask(q.shape[-2], q.device) == 0, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v, weights
