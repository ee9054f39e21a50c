import math

import torch


def valid_tokens(lengths, t):
    lengths = torch.as_tensor(lengths)
    return torch.arange(t, device=lengths.device)[None, :] < lengths[:, None]


def padding_key_mask(valid):
    return valid[:, None, None, :]


def padding_query_mask(valid):
    return valid[:, None, :, None]


def combined_mask(valid, causal=True):
    mask = padding_key_mask(valid) & padding_query_mask(valid)
    if causal:
        t = valid.shape[1]
        mask = mask & torch.tril(torch.ones(t, t, dtype=torch.bool, device=valid.device))
    return mask


def masked_attention(q, k, v, causal=True, padding_mask=None):
    if padding_mask is None:
        padding_mask = torch.ones(q.shape[0], q.shape[2], dtype=torch.bool, device=q.device)
    mask = combined_mask(padding_mask, causal)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    weights = weights.masked_fill(~mask, 0.0)
    return weights @ v, weights
