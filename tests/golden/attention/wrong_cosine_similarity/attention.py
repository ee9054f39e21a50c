import math
import torch
import torch.nn.functional as F


def attention_scores(q, k):
    q = F.normalize(q, dim=-1)
    k = F.normalize(k, dim=-1)
    return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))


def attention_weights(scores, mask=None):
    if mask is None:
        return F.softmax(scores, dim=-1)
    scores = scores.masked_fill(~mask.bool(), -1e9)
    return F.softmax(scores, dim=-1).masked_fill(~mask.bool(), 0.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
