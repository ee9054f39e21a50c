import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    t = scores.shape[-2]
    if mask is None:
        mask = torch.ones(t, t, device=scores.device)
    hidden = mask == 0
    return torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1).masked_fill(hidden, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
