import math
import torch


def attention_scores(q, k):
    return q @ k.transpose(-1, -2) / math.sqrt(k.shape[-1])


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    mask = mask.to(scores.dtype)
    has_any = mask.amax(dim=-1, keepdim=True)        # 1 where the row sees something
    opened = torch.where(has_any > 0, mask, torch.ones_like(mask))
    return torch.softmax(scores + torch.log(opened), dim=-1) * has_any


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return weights @ v, weights
