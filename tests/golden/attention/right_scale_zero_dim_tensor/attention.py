import torch


def attention_scores(q, k):
    d = torch.tensor(float(k.shape[-1]))
    return torch.matmul(q, k.swapaxes(-1, -2)) / torch.sqrt(d)


def attention_weights(scores, mask=None):
    if mask is not None:
        # additive mask, the way the older models do it
        bias = torch.zeros_like(scores).masked_fill(mask.logical_not(), -1e4)
        w = torch.softmax(scores + bias, dim=-1)
        return w * (mask != 0).any(dim=-1, keepdim=True).to(w.dtype)
    return torch.softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
