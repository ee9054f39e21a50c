import math
import torch
import torch.nn.functional as F


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1))


def attention_weights(scores, mask=None):
    if mask is not None:
        mask = mask.bool()            # True = ignore, as in nn.MultiheadAttention
        scores = scores.masked_fill(mask, float("-inf"))
    w = F.softmax(scores, dim=-1)
    if mask is not None:
        w = w.masked_fill(mask, 0.0)
    return w


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
