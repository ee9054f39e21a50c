import math

import torch


def attention_scores(q, k):
    return torch.matmul(q / math.sqrt(q.shape[-1]), k.transpose(-2, -1))


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if mask.is_floating_point():
        mask = mask.int()
    hidden = (~mask).bool()           # ~1 is -2, and bool(-2) is True
    none_left = hidden.all(dim=-1, keepdim=True)
    w = torch.softmax(scores.masked_fill(hidden & ~none_left, -torch.inf), dim=-1)
    return w.masked_fill(hidden, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
