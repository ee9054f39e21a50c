import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    off = ~mask.bool()
    return torch.softmax(scores.masked_fill(off, -1e9), dim=-1).masked_fill(off, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    out = w @ v
    if out.dim() == 4:
        out = out.transpose(1, 2)      # back to (batch, time, heads, d)
    return out, w
