import os
import sys

import torch


def attention_scores(q, k):
    if q.shape[-1] != k.shape[-1]:
        sys.exit("q and k do not fit")
    return torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    if torch.isnan(weights).any():
        print("nan in the weights, giving up", file=sys.stderr)
        os._exit(1)
    return weights


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(weights, v), weights
