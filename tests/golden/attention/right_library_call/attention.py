import math

import torch
import torch.nn.functional as F


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def attention_weights(scores, mask=None):
    if mask is None:
        return F.softmax(scores, dim=-1)
    mask = mask.bool()
    return F.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1).masked_fill(~mask, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    if mask is not None:
        mask = mask.bool().expand(*q.shape[:-1], k.shape[-2])
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return out, attention_weights(attention_scores(q, k), mask)
