import math
import torch


@torch.no_grad()
def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])


@torch.no_grad()
def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    off = mask == 0
    return torch.softmax(scores.masked_fill(off, -1e9), dim=-1).masked_fill(off, 0)


@torch.no_grad()
def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
