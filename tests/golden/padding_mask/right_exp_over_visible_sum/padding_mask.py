import torch


def valid_tokens(lengths, t):
    rows = [[i < int(n) for i in range(t)] for n in lengths]
    return torch.tensor(rows, dtype=torch.bool).reshape(len(rows), t)


def padding_key_mask(valid):
    b, t = valid.shape
    return valid.reshape(b, 1, 1, t)


def padding_query_mask(valid):
    b, t = valid.shape
    return valid.reshape(b, 1, t, 1)


def combined_mask(valid, causal=True):
    keep = torch.einsum("bi,bj->bij", valid.long(), valid.long())
    if causal:
        keep = keep.tril()
    return keep.bool().unsqueeze(1)


def masked_attention(q, k, v, causal=True, padding_mask=None):
    b, h, t, d = q.shape
    s = torch.einsum("bhid,bhjd->bhij", q, k) / d**0.5
    keep = torch.ones(b, 1, t, t, dtype=torch.bool, device=q.device)
    if padding_mask is not None:
        keep = keep * padding_key_mask(padding_mask) * padding_query_mask(padding_mask)
    if causal:
        keep = keep.tril()
    # exp of the visible scores only, an empty row divides 0 by 1
    s = torch.where(keep, s, torch.full_like(s, -torch.inf))
    top = s.amax(dim=-1, keepdim=True)
    top = torch.where(top.isinf(), torch.zeros_like(top), top).detach()
    e = torch.exp(s - top)
    total = e.sum(dim=-1, keepdim=True)
    w = e / torch.where(total > 0, total, torch.ones_like(total))
    return torch.einsum("bhij,bhjd->bhid", w, v), w
