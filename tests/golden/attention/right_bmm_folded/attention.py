import math

import torch


def _fold(x):
    """[..., T, D] -> [N, T, D] for bmm."""
    return x.reshape(-1, x.size(-2), x.size(-1))


def attention_scores(q, k):
    lead = q.shape[:-2]
    scores = torch.bmm(_fold(q), _fold(k).transpose(1, 2))
    scores = scores / math.sqrt(q.size(-1))
    return scores.view(*lead, q.size(-2), k.size(-2))


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    mask = torch.broadcast_to(mask, scores.shape).bool()
    flat, keep = _fold(scores), _fold(mask)
    flat = flat.masked_fill(keep.logical_not(), -1e30)
    probs = torch.softmax(flat, dim=2)
    probs = probs.masked_fill(keep.logical_not(), 0)
    return probs.view(scores.shape)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    out = torch.bmm(_fold(weights), _fold(v))
    return out.view(*q.shape[:-1], v.size(-1)), weights
