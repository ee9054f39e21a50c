import numpy as np
import torch


def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / float(np.sqrt(k.shape[-2]))


def attention_weights(scores, mask=None):
    if mask is not None:
        filled = scores.masked_fill(mask.logical_not(), -1e9)
        return torch.softmax(filled, dim=-1) * mask.bool()
    return torch.softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    attn = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(attn, v), attn
