import torch


def attention_scores(q, k):
    return (q @ k.transpose(-2, -1)) / torch.sqrt(torch.tensor(q.shape[-1], dtype=q.dtype))


def attention_weights(scores, mask=None):
    w = torch.softmax(scores, dim=-1)
    if mask is None:
        return w
    w = w * mask.to(w.dtype)
    total = w.sum(dim=-1, keepdim=True)
    return w / torch.where(total > 0, total, torch.ones_like(total))


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
