import torch
import torch.nn as nn


def causal_mask(t, device=None):
    mask = torch.zeros((1, 1, t, t), dtype=torch.int64, device=device)
    rows, cols = torch.tril_indices(t, t)
    mask[..., rows, cols] = 1
    return mask > 0


def causal_attention(q, k, v, causal=True, dropout_p=0.0):
    scores = torch.matmul(q, k.transpose(2, 3)) / torch.tensor(q.shape[-1]).sqrt().to(q.dtype)
    if causal:
        scores = scores.masked_fill(~causal_mask(q.shape[2], q.device), torch.finfo(scores.dtype).min)
    w = nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
    w = nn.functional.dropout(w, p=dropout_p)
    return torch.matmul(w, v), w
