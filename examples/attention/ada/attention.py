"""Attention, straight from the formula."""
import math

import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    hidden = mask == 0
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)
    return weights.masked_fill(hidden, 0.0)  # rows where nothing is visible would be nan


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return weights @ v, weights
