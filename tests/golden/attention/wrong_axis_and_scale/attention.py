import torch
from torch import nn


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1]


def attention_weights(scores, mask=None):
    soft = nn.Softmax(dim=-2)
    if mask is None:
        return soft(scores)
    return soft(scores.masked_fill(mask == 0, -1e9)).masked_fill(mask == 0, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
