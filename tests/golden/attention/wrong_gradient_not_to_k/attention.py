import torch
import torch.nn.functional as F


def attention_scores(q, k):
    d_k = q.size(-1)
    return torch.einsum('...qd,...kd->...qk', q, k.detach()) * d_k ** -0.5


def _row_softmax(s):
    m, _ = s.max(dim=-1, keepdim=True)
    e = torch.exp(s - m)
    return e / e.sum(dim=-1, keepdim=True)


def attention_weights(scores, mask=None):
    if mask is None:
        return _row_softmax(scores)
    blocked = (mask == 0).expand_as(scores)
    s = torch.where(blocked, torch.full_like(scores, -1e9), scores)
    w = _row_softmax(s)
    w = torch.where(blocked, torch.zeros_like(w), w)
    return w


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    out = torch.einsum('...qk,...kv->...qv', w, v)
    return out, w
