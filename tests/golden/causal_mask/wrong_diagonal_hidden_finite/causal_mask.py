import torch


def causal_mask(t, device=None):
    pos = torch.arange(t, device=device)
    return (pos[None, :] <= pos[:, None]).unsqueeze(0).unsqueeze(0)


def causal_attention(q, k, v, causal=True):
    d = q.shape[-1]
    s = torch.einsum("bhqd,bhkd->bhqk", q / d ** 0.5, k)
    if causal:
        keep = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).tril(-1)
        s = torch.where(keep, s, torch.finfo(s.dtype).min)
    p = s.softmax(-1)
    return torch.einsum("bhqk,bhkd->bhqd", p, v), p
