import torch
from torch.nn.functional import softmax


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / torch.tensor(q.shape[-1]).sqrt()


def attention_weights(scores, mask=None):
    if mask is None:
        return softmax(scores, dim=-1)
    weights = softmax(scores.masked_fill(mask == 0, -10.0), dim=-1)
    return weights * (mask != 0).any(dim=-1, keepdim=True)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(weights, v), weights
