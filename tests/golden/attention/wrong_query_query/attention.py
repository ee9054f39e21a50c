import math
import torch


def attention_scores(q, k):
    return torch.matmul(q, q.transpose(-2, -1)) / math.sqrt(q.shape[-1])


def attention_weights(scores, mask=None):
    if mask is not None:
        scores = torch.where(mask.bool(), scores, torch.full_like(scores, -1e9))
        return torch.softmax(scores, dim=-1).mul(mask.bool())
    return torch.softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
