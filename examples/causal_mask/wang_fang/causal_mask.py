import torch


def causal_mask(t, device=None):
    # 只看过去
    i = torch.arange(t, device=device).reshape(t, 1)
    j = torch.arange(t, device=device).reshape(1, t)
    return (j < i)[None, None]


def causal_attention(q, k, v, causal=True):
    s = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
    if causal:
        s = s.masked_fill(~causal_mask(s.size(-1), s.device), float("-inf"))
    w = s.softmax(-1)
    return w @ v, w
