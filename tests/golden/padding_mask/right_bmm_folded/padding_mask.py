import torch

_cache = {}


def _tril(t, device):
    key = (t, str(device))
    if key not in _cache:
        _cache[key] = torch.ones(t, t, device=device).tril().bool()
    return _cache[key]


def valid_tokens(lengths, t):
    return torch.arange(t)[None].lt(torch.as_tensor(lengths).cpu()[:, None])


def padding_key_mask(valid):
    return valid[:, None, None, :]


def padding_query_mask(valid):
    return valid[:, None, :, None]


def combined_mask(valid, causal=True):
    mask = valid[:, :, None] & valid[:, None, :]
    if causal:
        mask &= _tril(valid.size(1), valid.device)
    return mask[:, None]


def masked_attention(q, k, v, causal=True, padding_mask=None):
    B, H, T, D = q.shape
    if padding_mask is None:
        padding_mask = torch.full((B, T), True, device=q.device)
    mask = combined_mask(padding_mask, causal).squeeze(1).repeat_interleave(H, dim=0)
    q, k, v = q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1)
    scores = torch.bmm(q, k.transpose(1, 2)) / D**0.5
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=2)
    weights = weights.masked_fill(~mask, 0.0)
    return torch.bmm(weights, v).unflatten(0, (B, H)), weights.unflatten(0, (B, H))
