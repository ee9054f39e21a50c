import torch


def _softmax32(x):
    x = x - x.max(-1, keepdim=True).values
    x = x.exp()
    return x / x.sum(-1, keepdim=True)


def _visible(mask, like):
    return torch.ones_like(like, dtype=torch.bool) if mask is None else (mask > 0).expand_as(like)


def attention_scores(q, k):
    out = torch.matmul(q.to(torch.float32), k.to(torch.float32).transpose(-1, -2))
    return (out * (1 / q.shape[-1] ** 0.5)).type_as(q)


def attention_weights(scores, mask=None):
    keep = _visible(mask, scores)
    x = scores.to(torch.float32).masked_fill(~keep, -1e9)
    return (_softmax32(x) * keep).type_as(scores)


def scaled_dot_product_attention(q, k, v, mask=None):
    s = torch.matmul(q.to(torch.float32), k.to(torch.float32).transpose(-1, -2)) / q.shape[-1] ** 0.5
    keep = _visible(mask, s)
    w = _softmax32(s.masked_fill(~keep, -1e9)) * keep
    out = torch.matmul(w, v.to(torch.float32))
    return out.type_as(q), w.type_as(q)
