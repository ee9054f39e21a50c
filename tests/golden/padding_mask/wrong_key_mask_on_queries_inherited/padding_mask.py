import torch


def valid_tokens(lengths, t):
    return torch.arange(t)[None, :] < torch.as_tensor(lengths)[:, None]


def padding_key_mask(valid):
    return valid[:, None, :, None]


def padding_query_mask(valid):
    return valid[:, None, :, None]


def combined_mask(valid, causal=True):
    m = valid[:, None, None, :] & valid[:, None, :, None]
    return m.tril() if causal else m


def masked_attention(q, k, v, causal=True, padding_mask=None):
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if causal:
        t = q.size(-2)
        scores = scores.masked_fill(torch.ones(t, t).triu(1).bool(), -1e9)
    if padding_mask is None:
        weights = torch.softmax(scores, dim=-1)
        return weights @ v, weights
    scores = scores.masked_fill(~padding_key_mask(padding_mask), -1e9)
    weights = torch.softmax(scores, dim=-1)
    weights = weights.masked_fill(~padding_query_mask(padding_mask), 0.0)
    return weights @ v, weights
