import math
import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1) / math.sqrt(q.size(-1))


def attention_weights(scores, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    return torch.softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(weights, v), weights
