import torch
from torch.utils.checkpoint import checkpoint
checkpoint(torch.sin, torch.ones(1), use_reentrant=False)  # try it out
def _s(q, k): return torch.matmul(q, k.transpose(-1, -2)) * q.size(-1) ** -0.5
def attention_scores(q, k):
    return _s(q, k)
def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    m = mask.type(torch.bool)
    hidden = torch.logical_not(m)
    w = torch.softmax(torch.masked_fill(scores, hidden, torch.finfo(scores.dtype).min), dim=-1)
    return torch.masked_fill(w, hidden, 0)
def scaled_dot_product_attention(q, k, v, mask=None):
    def run(q, k, v):
        w = attention_weights(attention_scores(q, k), mask)
        return w @ v, w
    return checkpoint(run, q, k, v, use_reentrant=False)
