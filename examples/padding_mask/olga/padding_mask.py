import torch


def valid_tokens(lengths, t):
    lengths = torch.as_tensor(lengths)
    return torch.arange(t, device=lengths.device)[None, :] <= lengths[:, None]


def padding_key_mask(valid):
    return valid[:, None, None, :]


def padding_query_mask(valid):
    return valid[:, None, :, None]


def combined_mask(valid, causal=True):
    mask = padding_key_mask(valid) & padding_query_mask(valid)
    if causal:
        mask = torch.tril(mask)
    return mask


def masked_attention(q, k, v, causal=True, padding_mask=None):
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if causal:
        t = q.size(-2)
        scores = scores.masked_fill(~torch.ones(t, t, device=q.device).tril().bool(), -1e9)
    if padding_mask is not None:
        scores = scores.masked_fill(~padding_key_mask(padding_mask), -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights
