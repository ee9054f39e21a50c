import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-1, -2)) * q.shape[-1] ** -0.5


def attention_weights(scores, mask=None):
    scores = scores - scores.max(dim=-1, keepdim=True).values
    e = scores.exp()
    if mask is not None:
        e = e * mask.to(e.dtype)
    return e / (e.sum(dim=-1, keepdim=True) + 1e-6)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
