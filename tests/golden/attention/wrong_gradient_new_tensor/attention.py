import math
import torch


def attention_scores(q, k):
    result = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=q.dtype)
    for i in range(q.shape[-2]):
        for j in range(k.shape[-2]):
            result[..., i, j] = (q.data[..., i, :] * k.data[..., j, :]).sum(-1)
    return result / math.sqrt(q.shape[-1])


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, -1)
    return torch.softmax(scores.masked_fill(mask == 0, -1e9), -1).masked_fill(mask == 0, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
