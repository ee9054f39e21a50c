import torch
import torch.nn.functional as F


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / q.size(-1) ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return F.softmax(scores, dim=-1)
    hidden = mask == 0
    return F.softmax(scores.masked_fill(hidden, -1e9), dim=-1).masked_fill(hidden, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = F.softmax(scores, dim=-1, dtype=torch.float32)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    return weights @ v, weights
