import functools
import math

import torch


@functools.lru_cache(maxsize=None)
def scale_for(d):
    return 1.0 / math.sqrt(d)


@functools.lru_cache(maxsize=None)
def all_visible(t_q, t_k, device):
    return torch.ones(t_q, t_k, dtype=torch.bool, device=device)


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) * scale_for(q.shape[-1])


def attention_weights(scores, mask=None):
    if mask is None:
        mask = all_visible(scores.shape[-2], scores.shape[-1], scores.device)
    keep = mask.to(torch.bool)
    w = torch.softmax(scores.masked_fill(torch.logical_not(keep), -1e9), dim=-1)
    return torch.where(keep, w, 0.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
