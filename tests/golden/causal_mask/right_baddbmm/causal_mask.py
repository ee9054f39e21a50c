import torch


def causal_mask(t, device=None):
    return (1 - torch.ones(t, t, device=device).triu(1)).bool()[None, None]


def causal_attention(q, k, v, causal=True):
    b, h, t, d = q.shape
    q3, k3, v3 = (x.reshape(b * h, t, d) for x in (q, k, v))
    bias = torch.zeros(t, t, dtype=q.dtype, device=q.device)
    if causal:
        bias = bias.masked_fill(~causal_mask(t, q.device)[0, 0], float("-inf"))
    scores = torch.baddbmm(bias.expand(b * h, t, t), q3, k3.transpose(1, 2), alpha=d ** -0.5)
    weights = torch.softmax(scores, dim=2)
    values = torch.bmm(weights, v3)
    return values.view(b, h, t, d), weights.view(b, h, t, t)
