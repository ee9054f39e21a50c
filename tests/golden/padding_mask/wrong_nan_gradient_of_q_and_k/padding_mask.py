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
    bias = torch.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores + bias, dim=-1))
    return weights @ v, weights
