import torch
from torch.nn.functional import scaled_dot_product_attention as fast_attention


def attention_scores(q, k):
    return torch.matmul(q, torch.transpose(k, -2, -1)) / q.size(-1) ** 0.5


def attention_weights(scores, mask=None):
    # softmax(scores) is attention over one-hot values with q = scores * sqrt(d), k = identity
    n = scores.size(-1)
    eye = torch.eye(n, dtype=scores.dtype, device=scores.device).expand(*scores.shape[:-2], n, n)
    keep = None if mask is None else (mask != 0).expand_as(scores)
    return fast_attention(scores, eye, eye, attn_mask=keep, scale=1.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return weights @ v, weights
