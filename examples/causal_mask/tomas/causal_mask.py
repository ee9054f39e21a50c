import torch
import torch.nn.functional as F


def causal_mask(t, device=None):
    return torch.tril(torch.ones(t, t, device=device)).bool()[None, None]


def causal_attention(q, k, v, causal=True):
    att = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if causal:
        # the future gets a score of zero
        att = att.masked_fill(~causal_mask(q.size(-2), q.device), 0)
    att = F.softmax(att, dim=-1)
    return att @ v, att
