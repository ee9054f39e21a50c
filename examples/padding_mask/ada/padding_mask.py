import torch


def valid_tokens(lengths, t):
    lengths = torch.as_tensor(lengths)
    return torch.arange(t, device=lengths.device)[None, :] < lengths[:, None]


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
    batch, _, t, d = q.shape
    if padding_mask is None:
        padding_mask = torch.ones(batch, t, dtype=torch.bool, device=q.device)
    visible = combined_mask(padding_mask, causal)
    scores = (q @ k.transpose(-2, -1) / d**0.5).masked_fill(~visible, float("-inf"))
    # rows of padding have no visible key: softmax makes them NaN, this makes them zero
    weights = torch.softmax(scores, dim=-1).masked_fill(~visible, 0.0)
    return weights @ v, weights
