import torch
import torch.nn.functional as F


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-1, -2)) / q.size(-1) ** 0.5


def attention_weights(scores, mask=None):
    # scores: (batch, query, key)
    if mask is None:
        return F.softmax(scores, dim=2)
    blocked = mask.logical_not()
    w = F.softmax(scores.masked_fill(blocked, -1e9), dim=2)
    return w.masked_fill(blocked, 0.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
