import numpy as np
import torch


def _np_softmax(a):
    a = np.exp(a - a.max(axis=-1, keepdims=True))
    return a / a.sum(axis=-1, keepdims=True)


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    w = _np_softmax(scores.detach().double().numpy())
    w = torch.tensor(w, dtype=scores.dtype)
    return w if mask is None else w.masked_fill(mask == 0, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
