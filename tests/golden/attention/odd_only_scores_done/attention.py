import math

import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def attention_weights(scores, mask=None):
    """Softmax over the keys."""
    raise NotImplementedError("TODO: attention_weights")


def scaled_dot_product_attention(q, k, v, mask=None):
    """Output and weights."""
    raise NotImplementedError("TODO: scaled_dot_product_attention")
