import torch


def valid_tokens(lengths, t):
    lengths = torch.as_tensor(lengths)
    return torch.arange(t, device=lengths.device).unsqueeze(0) < lengths.unsqueeze(1)


def padding_key_mask(valid):
    return valid[:, None, None, :]


def padding_query_mask(valid):
    return valid[:, None, :, None]


def combined_mask(valid, causal=True):
    mask = padding_key_mask(valid) & padding_query_mask(valid)
    if causal:
        mask = mask.tril()
    return mask


class MaskedAttention(torch.nn.Module):
    def forward(self, q, k, v, causal=True, padding_mask=None):
        n = q.size(-2)
        keep = torch.ones(1, 1, n, n, dtype=torch.bool, device=q.device)
        if causal:
            keep = torch.tril(keep)
        if padding_mask is not None:
            keep = keep & padding_key_mask(padding_mask)
            keep = keep | torch.eye(n, dtype=torch.bool, device=q.device)
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        weights = torch.softmax(scores.masked_fill(~keep, float("-inf")), dim=-1)
        if padding_mask is not None:
            weights = weights.masked_fill(~padding_query_mask(padding_mask), 0.0)
        return weights @ v, weights


masked_attention = MaskedAttention()
