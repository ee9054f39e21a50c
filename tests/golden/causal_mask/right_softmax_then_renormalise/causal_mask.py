import torch


def causal_mask(t, device=None):
    return torch.ones(1, 1, t, t, device=device).tril().bool()


def causal_attention(q, k, v, causal=True):
    scale = q.shape[-1] ** -0.5
    weights = torch.softmax(scale * q @ k.transpose(-1, -2), dim=-1)
    if causal:
        weights = weights * causal_mask(q.shape[-2], q.device)
        weights = weights / weights.sum(-1, keepdim=True)
    return weights @ v, weights
