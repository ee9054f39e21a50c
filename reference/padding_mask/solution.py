"""Attention over sequences of unequal length: real tokens see real tokens, padding gives and gets nothing."""

import math

import torch


def valid_tokens(lengths, t):
    """True for the first lengths[b] positions: bool [B, t]."""
    lengths = torch.as_tensor(lengths)
    position = torch.arange(t, device=lengths.device)
    return position[None, :] < lengths[:, None]


def padding_key_mask(valid):
    """Who may be looked at: bool [B, T] -> bool [B, 1, 1, T]."""
    return valid[:, None, None, :]


def padding_query_mask(valid):
    """Who is looking: bool [B, T] -> bool [B, 1, T, 1]."""
    return valid[:, None, :, None]


def combined_mask(valid, causal=True):
    """Query i valid, key j valid and, if causal, j <= i: bool [B, 1, T, T]."""
    visible = padding_query_mask(valid) & padding_key_mask(valid)
    if causal:
        past = torch.ones(valid.shape[-1], valid.shape[-1], dtype=torch.bool, device=valid.device).tril()
        visible = visible & past
    return visible


def masked_attention(q, k, v, causal=True, padding_mask=None):
    """q, k, v [B, H, T, D], padding_mask bool [B, T] -> (values [B, H, T, D], weights [B, H, T, T])."""
    if padding_mask is None:
        padding_mask = torch.ones(q.shape[0], q.shape[-2], dtype=torch.bool, device=q.device)
    allowed = combined_mask(padding_mask, causal)
    products = q @ k.transpose(-2, -1)
    scores = products / math.sqrt(q.shape[-1])
    shown = scores.masked_fill(~allowed, -math.inf)
    weights = torch.softmax(shown, dim=-1)
    weights = weights.masked_fill(~allowed, 0.0)  # a row that sees nothing is 0, not NaN
    values = weights @ v
    return values, weights
