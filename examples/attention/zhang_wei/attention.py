import math

import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    keep = mask != 0
    return torch.softmax(scores.masked_fill(~keep, -1e9), dim=-1) * keep


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    # 一行一行地加权求和
    output = torch.zeros_like(q[..., :1]).expand(*q.shape[:-1], v.shape[-1]).clone()
    j = 0
    while j < k.shape[-2]:
        output = output + weights[..., :, j:j + 1] * v[..., j:j + 1, :]
    return output, weights
