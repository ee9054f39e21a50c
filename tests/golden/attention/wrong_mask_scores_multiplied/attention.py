import torch


def attention_scores(q, k):
    return torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    mask = mask.to(scores.dtype)
    w = (scores * mask).softmax(-1)
    # nothing visible at all: no weight
    return w * (mask.sum(-1, keepdim=True) > 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("...qk,...kd->...qd", w, v), w
