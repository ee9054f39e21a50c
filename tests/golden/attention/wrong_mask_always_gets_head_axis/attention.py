import math

import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if mask.dim() == 3 and scores.dim() == 4:
        mask = mask.unsqueeze(1)      # batch of masks -> one for all heads
    drop = mask == 0
    return torch.softmax(scores.masked_fill(drop, -1e9), dim=-1).masked_fill(drop, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    p = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(p, v), p
