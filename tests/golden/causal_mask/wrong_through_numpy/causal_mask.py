import numpy as np
import torch


def causal_mask(t, device=None):
    return torch.tril(torch.ones(t, t)).bool().view(1, 1, t, t).to(device)


def causal_attention(q, k, v, causal=True):
    qn, kn, vn = (x.detach().double().numpy() for x in (q, k, v))
    s = qn @ kn.swapaxes(-1, -2) / np.sqrt(qn.shape[-1])
    if causal:
        s = np.where(causal_mask(qn.shape[2]).numpy(), s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    values, weights = torch.from_numpy(w @ vn).to(q.dtype), torch.from_numpy(w).to(q.dtype)
    return values, weights
