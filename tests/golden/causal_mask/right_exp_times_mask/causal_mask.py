import torch


def causal_mask(t, device=None):
    i = torch.arange(t, device=device).view(t, 1)
    j = torch.arange(t, device=device).view(1, t)
    return (i >= j).expand(1, 1, t, t)


def masked_softmax(scores, keep):
    # the maximum is taken over the visible keys only
    highest = scores.masked_fill(~keep, -torch.inf).amax(dim=-1, keepdim=True)
    e = torch.exp((scores - highest).clamp(max=0)) * keep
    return e / e.sum(dim=-1, keepdim=True)


def causal_attention(q, k, v, causal=True):
    t = q.shape[-2]
    scores = q @ k.transpose(-1, -2) / (q.shape[-1] ** 0.5)
    keep = causal_mask(t, q.device)
    if not causal:
        keep = torch.ones_like(keep)
    weights = masked_softmax(scores, keep)
    return weights @ v, weights
