import numpy as np
import torch


def causal_mask(t, device=None):
    m = torch.from_numpy(np.tril(np.ones((t, t))).astype(bool))
    return m.to(device).view(1, 1, t, t)


def causal_attention(q, k, v, causal=True):
    # i: query, j: key
    q, k, v = (x.permute(2, 0, 1, 3) for x in (q, k, v))  # [T, B, H, D]
    t, d = q.size(0), q.size(-1)
    scores = torch.einsum("ibhd,jbhd->ijbh", q, k) / d**0.5
    if causal:
        drop = ~causal_mask(t, q.device).reshape(t, t)
        scores = scores.masked_fill(drop[:, :, None, None], float("-inf"))
    w = torch.softmax(scores, dim=1)
    out = torch.einsum("ijbh,jbhd->ibhd", w, v)
    return out.permute(1, 2, 0, 3), w.permute(2, 3, 0, 1)
