import torch


def valid_tokens(lengths, t):
    n = torch.as_tensor(lengths).reshape(-1, 1)
    return torch.ones(n.shape[0], t, dtype=torch.long, device=n.device).cumsum(1) <= n


def padding_key_mask(valid):
    return valid[:, None, None]


def padding_query_mask(valid):
    return valid[:, None, :, None]


def combined_mask(valid, causal=True):
    both = valid[:, None, :, None].logical_and(valid[:, None, None, :])
    return both.tril() if causal else both


def masked_attention(q, k, v, causal=True, padding_mask=None):
    valid = q.new_ones(q.shape[0], q.shape[2], dtype=torch.bool) if padding_mask is None else padding_mask
    keep = combined_mask(valid, causal)
    scores = (q * q.shape[-1] ** -0.5).matmul(k.mT)
    scores = scores.masked_fill(keep.logical_not(), -1e9)
    weights = scores.softmax(dim=-1) * keep.any(dim=-1, keepdim=True)
    return weights.matmul(v), weights
