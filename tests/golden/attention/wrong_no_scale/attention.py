import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1)


def attention_weights(scores, mask=None):
    if mask is not None:
        m = mask == 0
        return torch.softmax(scores.masked_fill(m, float("-inf")), dim=-1).masked_fill(m, 0)
    return torch.softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return weights @ v, weights
