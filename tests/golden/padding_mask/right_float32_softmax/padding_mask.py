import torch
import torch.nn as nn


def valid_tokens(lengths, t):
    lens = torch.tensor(lengths) if isinstance(lengths, (list, tuple)) else lengths
    ids = torch.arange(0, t, dtype=lens.dtype, device=lens.device)
    return ids.unsqueeze(0).lt(lens.unsqueeze(1))


def padding_key_mask(valid):
    return valid.unsqueeze(1).unsqueeze(1)


def padding_query_mask(valid):
    return valid.unsqueeze(1).unsqueeze(-1)


def combined_mask(valid, causal=True):
    n = valid.shape[-1]
    parts = [padding_key_mask(valid).expand(-1, 1, n, n), padding_query_mask(valid).expand(-1, 1, n, n)]
    if causal:
        parts.append(torch.ones_like(parts[0]).tril())
    return torch.stack(parts).all(dim=0)


def masked_attention(q, k, v, causal=True, padding_mask=None):
    scores = torch.matmul(q, k.transpose(-1, -2)) / (q.shape[-1] ** 0.5)
    min_value = -1e30  # also a float32 number
    if causal:
        t = q.shape[-2]
        scores = torch.where(torch.ones(t, t, device=q.device).tril().bool(), scores, min_value)
    if padding_mask is None:
        weights = nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
        return torch.matmul(weights, v), weights
    scores = torch.where(padding_key_mask(padding_mask), scores, min_value)
    weights = nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
    weights = weights * padding_query_mask(padding_mask).to(weights.dtype)
    values = torch.matmul(weights, v) * padding_query_mask(padding_mask).to(v.dtype)
    return values, weights
