import torch

def attention_scores(q, k):
    scale = torch.rsqrt(torch.tensor(q.shape[-1], dtype=q.dtype))
    q, k = q * scale, k * scale
    return torch.matmul(q, k.transpose(-2, -1))

def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    vis = (mask != 0)
    w = torch.softmax(scores.masked_fill(~vis, torch.finfo(scores.dtype).min), dim=-1)
    return w * vis

def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
