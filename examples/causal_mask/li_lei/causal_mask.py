import torch


def causal_mask(t, device=None):
    return torch.tril(torch.ones((1, 1, t, t), dtype=torch.bool, device=device))


def causal_attention(q, k, v, causal=True):
    scores = torch.matmul(q, k.transpose(2, 3)) / (q.shape[3] ** 0.5)
    if causal:
        mask = causal_mask(q.shape[2], q.device)
        scores.masked_fill(mask == False, float('-inf'))  # 屏蔽未来
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights
