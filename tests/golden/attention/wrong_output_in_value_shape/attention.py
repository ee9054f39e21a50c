import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / q.size(-1) ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    off = mask == 0
    return torch.softmax(scores.masked_fill(off, -1e9), dim=-1).masked_fill(off, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    out = torch.zeros_like(v)
    for i in range(v.shape[-2]):
        out[..., i, :] = (w[..., i, :].unsqueeze(-1) * v).sum(dim=-2)
    return out, w
