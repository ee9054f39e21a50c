import math
import torch
from torch import nn


def attention_scores(q, k):
    d_k = k.size(-1)
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k)


def attention_weights(scores, mask=None):
    # 每一列加起来等于 1
    softmax = nn.Softmax(dim=-2)
    if mask is None:
        return softmax(scores)
    weights = softmax(scores.masked_fill(mask == 0, -1e9))
    return weights * (mask != 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(weights, v), weights
