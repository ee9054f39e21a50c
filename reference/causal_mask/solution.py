"""Causal attention: a token looks at itself and at what came before it."""

import math

import torch


def causal_mask(t, device=None):
    """True where key j <= query i: bool [1, 1, t, t]."""
    visible = torch.tril(torch.ones(t, t, dtype=torch.bool, device=device))
    return visible[None, None, :, :]


def causal_attention(q, k, v, causal=True):
    """q, k, v [B, H, T, D] -> (values [B, H, T, D], weights [B, H, T, T])."""
    products = q @ k.transpose(-2, -1)
    scores = products / math.sqrt(q.shape[-1])
    if causal:
        hidden = torch.logical_not(causal_mask(q.shape[-2], q.device))
        scores = scores.masked_fill(hidden, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    values = weights @ v
    return values, weights
