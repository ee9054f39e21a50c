import torch


def attention_scores(q, k):
    return (q @ k.mT) * q.shape[-1] ** -0.5


def attention_weights(scores, mask=None):
    if mask is not None:
        # switch off what must not be seen
        scores = scores.masked_fill(mask == 0, 0)
    return scores.softmax(dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
