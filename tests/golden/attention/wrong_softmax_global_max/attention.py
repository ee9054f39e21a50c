import math
import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])


def attention_weights(scores, mask=None):
    scores = scores - scores.max()
    e = torch.exp(scores)
    if mask is not None:
        e = e * (mask != 0).to(e.dtype)
    z = e.sum(dim=-1, keepdim=True)
    return e / (z + (z == 0).to(z.dtype))


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
