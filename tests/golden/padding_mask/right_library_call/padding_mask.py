import torch
import torch.nn.functional as F


def valid_tokens(lengths, t):
    return torch.arange(t) < torch.as_tensor(lengths).unsqueeze(1)


def padding_key_mask(valid):
    return valid[:, None, None, :]


def padding_query_mask(valid):
    return valid[:, None, :, None]


def combined_mask(valid, causal=True):
    mask = padding_key_mask(valid) & padding_query_mask(valid)
    return torch.tril(mask) if causal else mask


def masked_attention(q, k, v, causal=True, padding_mask=None):
    b, h, t, _ = q.shape
    if padding_mask is None:
        padding_mask = torch.ones(b, t, dtype=torch.bool, device=q.device)
    mask = combined_mask(padding_mask, causal).expand(b, h, t, t)
    eye = torch.eye(t, dtype=q.dtype, device=q.device).expand(b, h, t, t)
    zero = padding_query_mask(padding_mask)
    values = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).masked_fill(~zero, 0)
    weights = F.scaled_dot_product_attention(q, k, eye, attn_mask=mask).masked_fill(~zero, 0)
    return values, weights
