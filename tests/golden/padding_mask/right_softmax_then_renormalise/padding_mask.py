import torch


def valid_tokens(lengths, t):
    lengths = torch.as_tensor(lengths)
    return (torch.arange(t, device=lengths.device) < lengths[:, None])


def padding_key_mask(valid):
    return valid[:, None, None, :]


def padding_query_mask(valid):
    return valid[:, None, :, None]


def combined_mask(valid, causal=True):
    m = padding_key_mask(valid) & padding_query_mask(valid)
    return m & torch.ones_like(m[0, 0]).tril() if causal else m


def masked_attention(q, k, v, causal=True, padding_mask=None):
    b, h, t, d = q.shape
    if padding_mask is None:
        padding_mask = torch.ones(b, t, dtype=torch.bool, device=q.device)
    m = combined_mask(padding_mask, causal)
    # what is hidden does not take part in the maximum
    s = (q @ k.mT / d**0.5).masked_fill(~m, -1e4)
    w = s.softmax(-1) * m
    w = w / w.sum(-1, keepdim=True).clamp_min(1e-8)
    return w @ v, w
