import torch


def attention_scores(q, k):
    return (q @ k.transpose(-2, -1)) / (q.shape[-1] ** 0.5)


def attention_weights(scores, mask=None):
    shape = scores.shape
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    flat = scores.reshape(*shape[:-2], shape[-2] * shape[-1])
    w = torch.softmax(flat, dim=-1).reshape(shape)
    if mask is not None:
        w = w.masked_fill(mask == 0, 0.0)
    return w


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
