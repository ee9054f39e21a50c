import math
import torch


def attention_scores(q, k):
    B, H, Tq, D = q.shape
    _, _, Tk, _ = k.shape
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k)
    return scores / math.sqrt(D)


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1).masked_fill(mask == 0, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("bhqk,bhkd->bhqd", w, v), w
