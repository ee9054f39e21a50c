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
    att = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
    if padding_mask is not None:
        att = att.masked_fill(~padding_mask[:, None, None, :], -1e9)
    elif causal:
        n = att.shape[-1]
        att = att.masked_fill(torch.ones(n, n, device=att.device).tril() == 0, -1e9)
    att = att.softmax(-1)
    if padding_mask is not None:
        att = att * padding_mask[:, None, :, None]
    return torch.einsum("bhij,bhjd->bhid", att, v), att
