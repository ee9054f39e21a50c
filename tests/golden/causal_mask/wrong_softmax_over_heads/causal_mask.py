import torch


def causal_mask(t, device=None):
    return torch.tril(torch.ones(1, 1, t, t, dtype=torch.bool, device=device))


def causal_attention(q, k, v, causal=True):
    w = torch.softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, dim=1)
    if causal:
        w = w * causal_mask(q.size(-2), q.device)
    return w @ v, w
