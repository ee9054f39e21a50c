# 李雷：全部用 einsum，softmax 自己写
import torch


def attention_scores(q, k):
    return torch.einsum("...id,...jd->...ij", q * q.shape[-1] ** -0.5, k)


def my_softmax(x):
    x = x - x.amax(dim=-1, keepdim=True)
    e = torch.exp(x)
    return e / e.sum(dim=-1, keepdim=True)


def attention_weights(scores, mask=None):
    if mask is None:
        return my_softmax(scores)
    visible = mask.to(torch.bool)
    return my_softmax(torch.where(visible, scores, -1e9)) * visible


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    output = torch.einsum("...ij,...jd->...id", weights, v)
    return output, weights
