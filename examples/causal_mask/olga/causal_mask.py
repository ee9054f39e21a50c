import numpy as np
import torch


def causal_mask(t, device=None):
    m = np.tril(np.ones((t, t)))
    return torch.tensor(m, device=device).view(1, 1, t, t)


def causal_attention(q, k, v, causal=True):
    d_k = q.shape[-1]
    scores = torch.matmul(q, k.transpose(-2, -1)) / np.sqrt(d_k)
    if causal:
        t = q.shape[-2]
        scores = scores.masked_fill(causal_mask(t, q.device) == 0, -1e9)
    weights = torch.softmax(scores, dim=-2)
    return torch.matmul(weights, v), weights
