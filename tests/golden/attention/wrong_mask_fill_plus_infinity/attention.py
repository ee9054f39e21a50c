import torch


def attention_scores(q, k):
    return q.matmul(k.transpose(-2, -1)) / q.size(-1) ** 0.5


def attention_weights(scores, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("inf"))
    return scores.softmax(dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w.matmul(v), w
