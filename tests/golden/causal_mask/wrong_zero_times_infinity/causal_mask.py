import torch
import torch.nn.functional as F


def causal_mask(t, device=None):
    future = torch.triu(torch.ones(t, t, device=device), diagonal=1)
    return (future == 0).view(1, 1, t, t)


def causal_attention(q, k, v, causal=True):
    B, H, T, D = q.shape
    att = torch.matmul(q, k.permute(0, 1, 3, 2)) * D ** -0.5
    if causal:
        bias = (1 - torch.ones(T, T, dtype=att.dtype, device=att.device).tril()) * float("-inf")
        att = att + bias
    att = F.softmax(att, dim=-1)
    out = torch.matmul(att, v)
    return out, att
