import torch


def causal_mask(t, device=None):
    pos = torch.arange(t, device=device)
    return (pos[None, :] <= pos[:, None]).unsqueeze(0).unsqueeze(0)


def causal_attention(q, k, v, causal=True):
    d = q.shape[-1]
    s = torch.einsum("bhqd,bhkd->bhqk", q, k)
    if causal:
        keep = causal_mask(q.shape[2], device=q.device)
        s = torch.where(keep, s, torch.finfo(s.dtype).min)
    p = s.softmax(-1) / d ** 0.5
    return torch.einsum("bhqk,bhkd->bhqd", p, v), p
