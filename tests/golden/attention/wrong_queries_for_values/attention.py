import torch

def attention_scores(q, k):
    return q @ k.mT / q.shape[-1] ** 0.5

def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    keep = mask.to(torch.bool)
    w = torch.softmax(scores.masked_fill(~keep, -1e9), dim=-1)
    return w.masked_fill(~keep, 0.0)

def scaled_dot_product_attention(q, k, v, mask=None):
    v = q
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
