import torch


def attention_scores(q, k):
    return torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    visible = (mask != 0).expand_as(scores)
    top = torch.where(visible, scores, -torch.inf).amax(-1, keepdim=True).detach()
    top = torch.where(top.isinf(), torch.zeros_like(top), top)
    shifted = torch.where(visible, scores - top, torch.zeros_like(scores))
    e = torch.exp(shifted) * visible
    return e / e.sum(-1, keepdim=True).clamp(min=1e-12)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("...qk,...kv->...qv", w, v), w
