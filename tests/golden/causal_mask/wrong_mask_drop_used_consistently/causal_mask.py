import torch


def causal_mask(t, device=None):
    return torch.triu(torch.ones(t, t, dtype=torch.bool, device=device), diagonal=1)[None, None]


def causal_attention(q, k, v, causal=True):
    s = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
    if causal:
        s = s.masked_fill(causal_mask(q.shape[2], q.device), -1e9)
    w = s.softmax(dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", w, v), w
