import torch


def valid_tokens(lengths, t):
    return torch.stack([torch.arange(t) < int(n) for n in lengths])


def padding_key_mask(valid):
    return valid.reshape(len(valid), 1, 1, -1)


def padding_query_mask(valid):
    return valid.reshape(len(valid), 1, -1, 1)


def combined_mask(valid, causal=True):
    masks = []
    for row in valid:
        m = row.unsqueeze(0) & row.unsqueeze(1)
        masks.append(m.tril() if causal else m)
    return torch.stack(masks).unsqueeze(1)


def one_sample(q, k, v, causal):
    """Plain attention of [H, n, D] without any padding."""
    s = q @ k.transpose(1, 2) / q.size(-1) ** 0.5
    if causal:
        n = q.size(1)
        s = s.masked_fill(torch.ones(n, n, device=q.device).triu(1) == 1, float("-inf"))
    w = torch.softmax(s, dim=-1)
    return w @ v, w


def masked_attention(q, k, v, causal=True, padding_mask=None):
    B, H, T, D = q.shape
    # all zero, but still on the graph of q, k and v
    values = 0.0 * (q + k + v)
    weights = 0.0 * (q @ k.transpose(2, 3))
    for b in range(B):
        if padding_mask is None:
            real = torch.arange(T, device=q.device)
        else:
            real = padding_mask[b].nonzero().flatten()
        if len(real) == 0:
            continue
        y, w = one_sample(q[b][:, real], k[b][:, real], v[b][:, real], causal)
        values[b, :, real] = y
        weights[b, :, real[:, None], real[None, :]] = w
    return values, weights
