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
    B, T = valid.shape
    mask = valid.view(B, 1, 1, T) & valid.view(B, 1, T, 1)
    if causal:
        i = torch.arange(T, device=valid.device)
        mask = mask & (i.view(1, 1, T, 1) >= i.view(1, 1, 1, T))
    return mask
