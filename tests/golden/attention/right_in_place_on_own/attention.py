import math
import torch


def attention_scores(q, k):
    scores = torch.matmul(q, k.transpose(-2, -1))
    scores /= math.sqrt(q.size(-1))          # our own tensor, nobody else holds it
    return scores


def attention_weights(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    off = mask == 0
    scores = scores.clone()
    scores.masked_fill_(off, -math.inf)
    weights = scores.softmax(-1)
    return weights.masked_fill(off, 0.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1))
    scores *= q.size(-1) ** -0.5
    if mask is not None:
        empty = (mask == 0).all(dim=-1, keepdim=True)
        scores.masked_fill_(mask == 0, torch.finfo(scores.dtype).min / 2)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(empty, 0.0)
    return weights.matmul(v), weights
