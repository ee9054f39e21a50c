import torch


def attention_scores(q, k):
    """Scale the queries first, then take all dot products."""
    q = q / q.shape[-1] ** 0.5
    return torch.einsum("...id,...jd->...ij", q, k)


def attention_weights(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    keep = mask != 0
    minus_inf = torch.full_like(scores, float("-inf"))
    w = torch.where(keep, scores, minus_inf).softmax(-1)
    return torch.where(keep, w, torch.zeros_like(w))


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    out = torch.einsum("...ij,...jd->...id", w, v)
    return out, w
