import math
import torch


def attention_scores(q, k):
    *lead, t, d = q.shape
    q = q.reshape(-1, t, d)
    k = k.reshape(-1, t, d)
    return torch.bmm(q, k.transpose(1, 2)).view(*lead, t, t) / math.sqrt(d)


def attention_weights(scores, mask=None):
    if mask is not None:
        off = mask.logical_not()
        return torch.softmax(scores.masked_fill(off, -1e9), dim=-1).masked_fill(off, 0.0)
    return torch.softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
