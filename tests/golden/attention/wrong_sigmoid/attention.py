import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    w = torch.sigmoid(scores)
    return w if mask is None else w * mask.to(w.dtype)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
