import math
import torch


def valid_tokens(lengths, t):
    n = torch.as_tensor(lengths)
    rows = []
    for x in n.tolist():
        rows.append([p < x for p in range(t)])
    return torch.tensor(rows, dtype=torch.bool, device=n.device).view(len(rows), t)


def padding_key_mask(valid):
    return valid.unsqueeze(1).unsqueeze(1)


def padding_query_mask(valid):
    return valid.unsqueeze(1).unsqueeze(-1)


def combined_mask(valid, causal=True):
    both = valid.unsqueeze(1).unsqueeze(2) & valid.unsqueeze(1).unsqueeze(3)
    if not causal:
        return both
    t = valid.size(1)
    later = torch.ones(t, t, device=valid.device).triu(1) == 1
    return both & ~later


def masked_attention(q, k, v, causal=True, padding_mask=None):
    b, h, t, d = q.shape
    if padding_mask is None:
        padding_mask = q.new_ones(b, t).bool()
    keep = combined_mask(padding_mask, causal)
    s = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(d)
    s = s.masked_fill(~keep, -1e9)
    w = torch.softmax(s, -1)
    return torch.matmul(w * padding_mask[:, None, :, None], v), w
