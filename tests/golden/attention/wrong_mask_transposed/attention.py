import torch


def attention_scores(q, k):
    return torch.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return scores.softmax(dim=-1)
    if mask.dim() > 1:
        mask = mask.transpose(-2, -1)
    hidden = mask == 0
    return scores.masked_fill(hidden, -1e9).softmax(dim=-1).masked_fill(hidden, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("...ij,...jd->...id", w, v), w
