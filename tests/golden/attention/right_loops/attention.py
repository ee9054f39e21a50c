import math
import torch


def attention_scores(q, k):
    """Plain loops over queries and keys."""
    rows = []
    for i in range(q.shape[-2]):
        row = []
        for j in range(k.shape[-2]):
            dot = (q[..., i, :] * k[..., j, :]).sum(-1)
            row.append(dot / math.sqrt(q.shape[-1]))
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=-2)


def attention_weights(scores, mask=None):
    if mask is not None:
        mask = mask.expand(scores.shape)
    rows = []
    for i in range(scores.shape[-2]):
        row = scores[..., i, :]
        if mask is None:
            rows.append(torch.softmax(row, dim=-1))
        else:
            seen = mask[..., i, :] != 0
            row = torch.softmax(row.masked_fill(~seen, -1e9), dim=-1)
            rows.append(row.masked_fill(~seen, 0.0))
    return torch.stack(rows, dim=-2)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    rows = []
    for i in range(q.shape[-2]):
        acc = torch.zeros_like(v[..., 0, :])
        for j in range(k.shape[-2]):
            acc = acc + w[..., i, j].unsqueeze(-1) * v[..., j, :]
        rows.append(acc)
    return torch.stack(rows, dim=-2), w
