import math
import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    assert mask.shape == scores.shape, f"mask {mask.shape} must have the shape of scores {scores.shape}"
    mask = mask.bool()
    return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1).masked_fill(~mask, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
