import math

import torch

if hasattr(torch.Tensor, "mT"):
    def _t(x):
        return x.mT
else:
    def _t(x):
        return x.transpose(-2, -1)

try:
    from torch.nn.functional import softmax
except ImportError:
    def softmax(x, dim):
        e = (x - x.max(dim, keepdim=True)[0]).exp()
        return e / e.sum(dim, keepdim=True)


class EmptyRowError(Exception):
    pass


def attention_scores(q, k):
    assert q.shape[-1] == k.shape[-1], "q and k must have the same width"
    return q @ _t(k) / math.sqrt(q.shape[-1])


def attention_weights(scores, mask=None):
    match mask:
        case None:
            return softmax(scores, dim=-1)
        case torch.Tensor():
            off = mask.float() == 0
            return softmax(scores.masked_fill(off, -1e9), dim=-1).masked_fill(off, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    assert k.shape[-2] == v.shape[-2]
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
