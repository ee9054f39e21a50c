"""One head or many, in the way of the chapter on attention by hand: training on whole sequences."""

import torch


def scaled_dot_product_attention(q, k, v, causal=True, padding_mask=None):
    # q, k, v: [B, H, T, D]; padding_mask: [B, T], True where the token is real
    lowest = torch.finfo(q.dtype).min
    scores = torch.matmul(q, k.transpose(-2, -1)) * q.shape[-1] ** -0.5

    if causal:
        n = q.shape[-2]
        not_after = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(not_after.logical_not(), lowest)

    if padding_mask is None:
        weights = scores.softmax(dim=-1)
        return torch.matmul(weights, v), weights

    as_key = padding_mask[:, None, None, :]
    as_query = padding_mask[:, None, :, None]
    weights = scores.masked_fill(as_key.logical_not(), lowest).softmax(dim=-1)
    # padding keys get exactly nothing, the rest of each row is brought back to 1
    weights = weights.masked_fill(as_key.logical_not(), 0.0)
    total = weights.sum(dim=-1, keepdim=True)
    weights = weights / total.clamp_min(1e-8)
    # rows of padding queries are emptied
    weights = weights.masked_fill(as_query.logical_not(), 0.0)
    values = torch.matmul(weights, v).masked_fill(as_query.logical_not(), 0.0)
    return values, weights
