import torch


def attention_scores(q, k):
    return torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    blocked = mask == 0
    return torch.softmax(scores.masked_fill(blocked, -1e9), dim=-1).masked_fill(blocked, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5, mask)
    return torch.matmul(w, v), w
