import math
import torch


def causal_mask(t, device=None):
    # running count of columns: the entry in column j is j + 1
    cols = torch.ones(t, t, dtype=torch.long, device=device).cumsum(dim=1)
    rows = torch.ones(t, t, dtype=torch.long, device=device).cumsum(dim=0)
    return (cols <= rows).reshape(1, 1, t, t)


def causal_attention(q, k, v, causal=True):
    q, k, v = q.data, k.data, v.data
    k_t = k.transpose(2, 3)
    scores = (q * math.sqrt(1.0 / q.size(3))) @ k_t
    if causal:
        n = q.size(2)
        scores.masked_fill_(causal_mask(n, q.device).logical_not(), -1e9)
    # softmax by hand, the maximum is only a shift
    top = scores.max(dim=-1, keepdim=True).values.detach()
    e = torch.exp(scores - top)
    weights = e / e.sum(dim=-1, keepdim=True)
    return weights.matmul(v), weights
