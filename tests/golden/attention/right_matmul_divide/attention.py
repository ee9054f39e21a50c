import math

import torch


def attention_scores(q, k):
    d_k = q.size(-1)
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k)


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    hidden = mask == 0
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)
    # a row where everything is hidden comes out as nan; hidden entries are 0 by definition
    return weights.masked_fill(hidden, 0.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(weights, v), weights
