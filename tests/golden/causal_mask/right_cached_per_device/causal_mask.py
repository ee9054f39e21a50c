from functools import lru_cache

import torch


@lru_cache(maxsize=None)
def _lower(t, device):
    return torch.ones((t, t), dtype=torch.bool, device=device).tril()


def causal_mask(t, device=None):
    device = torch.device(device) if device is not None else torch.device("cpu")
    return _lower(t, device)[None, None, :, :]


def causal_attention(q, k, v, causal=True):
    scores = torch.matmul(q, k.mT) / q.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(causal_mask(scores.shape[-1], scores.device) == 0, -1e30)
    w = scores.softmax(dim=3)
    return torch.matmul(w, v), w
