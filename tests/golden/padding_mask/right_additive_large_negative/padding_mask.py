# 填充掩码：True 表示真实 token
import math
import torch


def valid_tokens(lengths, t):
    lengths = torch.as_tensor(lengths)
    index = torch.arange(t, device=lengths.device)
    return (index.repeat(lengths.shape[0], 1) - lengths.view(-1, 1)) < 0


def padding_key_mask(valid):
    return valid[:, None, None, :].clone()


def padding_query_mask(valid):
    return valid[:, None, :, None].clone()


def combined_mask(valid, causal=True):
    t = valid.shape[1]
    m = valid[:, None, None, :] * valid[:, None, :, None]
    if causal:
        m = m * torch.tril(torch.ones(t, t, device=valid.device)).bool()
    return m


def masked_attention(q, k, v, causal=True, padding_mask=None):
    t = q.shape[2]
    score = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.shape[3])
    if causal:
        upper = torch.triu(torch.ones(t, t, dtype=score.dtype, device=q.device), diagonal=1)
        score = score + upper * (-1e30)
    if padding_mask is not None:
        pad = (~padding_mask).to(score.dtype)
        score = score + pad[:, None, None, :] * (-1e30)
    weight = torch.softmax(score, dim=-1)
    if padding_mask is not None:
        real = padding_mask.to(weight.dtype)
        weight = weight * real[:, None, None, :] * real[:, None, :, None]
    value = torch.matmul(weight, v)
    return value, weight
