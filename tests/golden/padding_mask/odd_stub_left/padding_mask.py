import torch
import torch.nn.functional as F


def valid_tokens(lengths, t):
    if not torch.is_tensor(lengths):
        lengths = torch.tensor(lengths, dtype=torch.long)
    pos = torch.arange(t, device=lengths.device).expand(lengths.size(0), t)
    return pos < lengths.unsqueeze(1)


def padding_key_mask(valid):
    return valid.unsqueeze(1).unsqueeze(2)


def padding_query_mask(valid):
    return valid.unsqueeze(1).unsqueeze(3)


def combined_mask(valid, causal=True):
    raise NotImplementedError("TODO: combined_mask")


def masked_attention(q, k, v, causal=True, padding_mask=None):
    B, H, T, D = q.shape
    low = torch.finfo(q.dtype).min
    att = torch.matmul(q, k.transpose(-2, -1)) * D ** -0.5
    if causal:
        future = torch.ones(T, T, dtype=torch.bool, device=q.device).triu(1)
        att = att.masked_fill(future, low)
    if padding_mask is not None:
        att = att.masked_fill(~padding_mask[:, None, None, :], low)
    att = F.softmax(att, dim=-1)
    if padding_mask is not None:
        att = att.masked_fill(~padding_mask[:, None, :, None], 0.0)
    y = torch.matmul(att, v)
    return y, att
