import torch


def causal_mask(t, device=None):
    i = torch.arange(t, device=device).view(t, 1)
    j = torch.arange(t, device=device).view(1, t)
    return (j <= i).view(1, 1, t, t)


def causal_attention(q, k, v, causal=True):
    b, h, t, d = q.shape
    s = torch.einsum('bhid,bhjd->bhij', q, k) / d ** 0.5
    if causal:
        m = causal_mask(t, q.device).to(s.dtype)
        s = s + (1 - m) * -1e9
    w = s.softmax(-1)
    out = torch.einsum('bhij,bhjd->bhid', w, v)
    return out.permute(0, 2, 1, 3).reshape(b, t, h * d), w
