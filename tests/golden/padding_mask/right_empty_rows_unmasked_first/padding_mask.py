import math
import torch


def valid_tokens(lengths, t):
    lengths = torch.as_tensor(lengths, dtype=torch.int64)
    out = torch.zeros(lengths.numel(), t, dtype=torch.bool, device=lengths.device)
    for b, n in enumerate(lengths.tolist()):
        out[b, :n] = True
    return out


def padding_key_mask(valid):
    return valid.view(valid.size(0), 1, 1, valid.size(1))


def padding_query_mask(valid):
    return padding_key_mask(valid).transpose(2, 3)


def combined_mask(valid, causal=True):
    t = valid.size(1)
    causal_part = torch.ones(1, 1, t, t, dtype=torch.bool, device=valid.device)
    if causal:
        causal_part = causal_part.tril()
    return padding_query_mask(valid) & padding_key_mask(valid) & causal_part


def masked_attention(q, k, v, causal=True, padding_mask=None):
    batch, _, t, d = q.size()
    if padding_mask is None:
        padding_mask = torch.ones((batch, t), device=q.device).bool()
    keep = combined_mask(padding_mask, causal=causal)
    empty = ~keep.any(-1, keepdim=True)
    bias = torch.zeros(keep.shape, dtype=q.dtype, device=q.device)
    bias = bias.masked_fill(~(keep | empty), float("-inf"))
    weights = (q @ k.transpose(2, 3) / math.sqrt(d) + bias).softmax(-1)
    weights = torch.where(empty, torch.zeros_like(weights), weights)
    values = weights @ v
    return values, weights
