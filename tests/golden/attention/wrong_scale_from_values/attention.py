import math

import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))


def attention_weights(scores, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p = scores.softmax(dim=-1)
    return p if mask is None else p.masked_fill(mask == 0, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = v.size(-1)
    p_attn = attention_weights(torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k), mask)
    return torch.matmul(p_attn, v), p_attn
