import torch


def attention_scores(q, k):
    return (q / q.shape[-1] ** 0.5) @ k.transpose(-2, -1)


def attention_weights(scores, mask=None):
    e = torch.exp(scores.clamp(-60, 60))    # keeps exp from overflowing
    if mask is not None:
        e = e * mask.to(e.dtype)
    return e / e.sum(-1, keepdim=True).clamp(min=1e-30)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
