# 填充掩码，True 表示真实的 token
import torch


def valid_tokens(lengths, t):
    rows = []
    for n in lengths:
        n = int(n)
        rows.append([True] * n + [False] * (t - n))
    return torch.tensor(rows, dtype=torch.bool)


def padding_key_mask(valid):
    B, T = valid.shape
    return valid.view(B, 1, 1, T)


def padding_query_mask(valid):
    B, T = valid.shape
    return valid.view(B, 1, T, 1)


def combined_mask(valid, causal=True):
    B, T = valid.shape
    mask = valid.view(B, 1, 1, T) & valid.view(B, 1, T, 1)
    if causal:
        mask = mask & torch.ones(T, T, dtype=torch.bool, device=valid.device).tril()
    return mask


def masked_attention(q, k, v, causal=True, padding_mask=None):
    low = torch.finfo(q.dtype).min
    scores = torch.matmul(q, k.transpose(-1, -2)) / q.size(-1) ** 0.5
    if causal:
        T = q.size(-2)
        scores = scores.masked_fill(torch.ones(T, T, device=q.device).triu(1).bool(), low)
    if padding_mask is not None:
        scores = scores.masked_fill(~padding_key_mask(padding_mask), low)
    weights = torch.softmax(scores, dim=-1)
    if padding_mask is not None:
        # padding 的 query 行清零
        weights = weights * padding_query_mask(padding_mask)
    return torch.matmul(weights, v), weights
