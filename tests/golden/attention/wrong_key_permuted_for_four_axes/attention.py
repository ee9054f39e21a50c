import torch


def attention_scores(q, k):
    return q @ k.permute(0, 1, 3, 2) / q.shape[3] ** 0.5


def attention_weights(scores, mask=None):
    if mask is not None:
        return torch.softmax(scores.masked_fill(mask == 0, -1e9), -1) * (mask != 0)
    return torch.softmax(scores, -1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
