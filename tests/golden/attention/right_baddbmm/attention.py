import torch


def _additive(mask, shape, dtype):
    bias = torch.zeros(shape, dtype=dtype, device=mask.device)
    return bias.masked_fill(mask == 0, float("-inf"))


def _safe(mask):
    """A mask in which an empty row sees everything, and which rows those are."""
    mask = mask != 0
    empty = mask.sum(-1, keepdim=True) == 0
    return mask | empty, empty


def attention_scores(q, k):
    *lead, tq, d = q.shape
    tk = k.shape[-2]
    q3, k3 = q.reshape(-1, tq, d), k.reshape(-1, tk, d)
    zero = q3.new_zeros(q3.shape[0], tq, tk)
    s = torch.baddbmm(zero, q3, k3.transpose(1, 2), beta=0, alpha=d ** -0.5)
    return s.reshape(*lead, tq, tk)


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, -1)
    seen, empty = _safe(mask)
    w = torch.softmax(scores + _additive(seen, scores.shape, scores.dtype), -1)
    return w.masked_fill(empty, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    if mask is None:
        w = attention_weights(attention_scores(q, k))
        return w @ v, w
    *lead, tq, d = q.shape
    tk = k.shape[-2]
    seen, empty = _safe(mask)
    bias = _additive(seen, (*lead, tq, tk), q.dtype).reshape(-1, tq, tk)
    q3, k3 = q.reshape(-1, tq, d), k.reshape(-1, tk, d)
    w = torch.baddbmm(bias, q3, k3.transpose(1, 2), beta=1, alpha=d ** -0.5)
    w = w.reshape(*lead, tq, tk).softmax(-1).masked_fill(empty, 0)
    return w @ v, w
