import torch

# Inside, scores live as [..., Tk, Tq] and the softmax runs over the key axis there.


def _key_first(q, k):
    return k @ q.transpose(-2, -1) / q.shape[-1] ** 0.5


def attention_scores(q, k):
    return _key_first(q, k).transpose(-2, -1)


def attention_weights(scores, mask=None):
    s = scores.transpose(-2, -1)
    if mask is None:
        return torch.softmax(s, dim=-2).transpose(-2, -1)
    m = mask.expand_as(scores).transpose(-2, -1) != 0
    w = torch.softmax(s.masked_fill(~m, -1e9), dim=-2).masked_fill(~m, 0)
    return w.transpose(-2, -1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(_key_first(q, k).transpose(-2, -1), mask)
    out = (v.transpose(-2, -1) @ w.transpose(-2, -1)).transpose(-2, -1)
    return out, w
