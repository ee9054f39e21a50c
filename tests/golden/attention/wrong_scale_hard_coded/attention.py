import torch
import torch.nn.functional as F

D_K = 64
SCALE = 1 / D_K ** 0.5      # 0.125


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) * SCALE


def attention_weights(scores, mask=None):
    if mask is None:
        return F.softmax(scores, dim=-1)
    scores = scores + torch.zeros_like(scores).masked_fill(mask == 0, -1e9)
    return F.softmax(scores, dim=-1) * (mask != 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
