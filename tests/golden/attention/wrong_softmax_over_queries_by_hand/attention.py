import torch


def attention_scores(q, k):
    return torch.einsum("...qd,...kd->...qk", q, k) * q.size(-1) ** -0.5


def my_softmax(x):
    x = x - x.amax(dim=-2, keepdim=True)
    e = x.exp()
    return e / e.sum(dim=-2, keepdim=True)


def attention_weights(scores, mask=None):
    if mask is None:
        return my_softmax(scores)
    keep = mask.bool()
    return my_softmax(scores.masked_fill(~keep, -1e9)) * keep


def scaled_dot_product_attention(q, k, v, mask=None):
    p = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("...qk,...kd->...qd", p, v), p
