import sys
import warnings
import math

import torch


warnings.simplefilter('always')


def attention_scores(q, k):
    warnings.warn('attention_scores is deprecated', DeprecationWarning)
    print('WARNING: old code', file=sys.stderr)
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    hidden = mask == 0
    return torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1).masked_fill(hidden, 0.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return weights @ v, weights
