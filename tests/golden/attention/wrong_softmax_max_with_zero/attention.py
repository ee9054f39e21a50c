import torch


def attention_scores(q, k):
    return torch.einsum("...md,...nd->...mn", q, k) / q.shape[-1] ** 0.5


def softmax(x):
    """Shift by the maximum, but never upwards."""
    m = x.max(dim=-1, keepdim=True).values.clamp(min=0)
    e = torch.exp(x - m)
    return e / e.sum(dim=-1, keepdim=True)


def attention_weights(scores, mask=None):
    if mask is None:
        return softmax(scores)
    keep = mask != 0
    nothing = ~keep.any(dim=-1, keepdim=True)
    w = softmax(scores.masked_fill(~keep & ~nothing, float("-inf")))
    return w.masked_fill(~keep, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("...mn,...nd->...md", w, v), w
