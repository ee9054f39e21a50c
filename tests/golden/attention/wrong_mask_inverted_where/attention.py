import torch


def attention_scores(q, k):
    d = q.size(-1)
    return (q @ k.transpose(-2, -1)).div(d ** 0.5)


def attention_weights(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    fill = torch.full_like(scores, -1e9)
    return torch.where(mask != 0, fill, scores).softmax(-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
