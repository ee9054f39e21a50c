import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) * q.shape[-1] ** -0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    return scores.masked_fill(mask == 0, -torch.inf).softmax(-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    out = torch.matmul(w, v)
    if mask is not None:
        empty = (mask == 0).all(dim=-1, keepdim=True)
        out = out.masked_fill(empty, 0.0)
        w = w.masked_fill(empty, 0.0)
    return out, w
