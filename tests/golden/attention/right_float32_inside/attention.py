import math
import torch


def attention_scores(q, k):
    scores = q.float() @ k.float().transpose(-2, -1) / math.sqrt(q.shape[-1])
    return scores.to(q.dtype)


def attention_weights(scores, mask=None):
    dtype = scores.dtype
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(dtype).min)
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32).to(dtype)
    if mask is not None:
        weights = weights.masked_fill(mask.logical_not(), 0.0)
    return weights


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return weights @ v, weights
