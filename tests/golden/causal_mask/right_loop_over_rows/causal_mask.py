import torch


def causal_mask(t, device=None):
    mask = torch.zeros(1, 1, t, t, dtype=torch.bool, device=device)
    for i in range(t):
        mask[0, 0, i, : i + 1] = True
    return mask


def causal_attention(q, k, v, causal=True):
    B, H, T, D = q.shape
    values, weights = [], []
    for i in range(T):
        last = i + 1 if causal else T
        s = (q[:, :, i : i + 1] * k[:, :, :last]).sum(-1) / D**0.5  # [B, H, last]
        w = torch.softmax(s, dim=-1)
        values.append((w.unsqueeze(-1) * v[:, :, :last]).sum(dim=2))
        rest = torch.zeros(B, H, T - last, dtype=q.dtype, device=q.device)
        weights.append(torch.cat([w, rest], dim=-1))
    return torch.stack(values, dim=2), torch.stack(weights, dim=2)
