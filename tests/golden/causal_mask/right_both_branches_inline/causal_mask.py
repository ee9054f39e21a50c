# 因果注意力：每个位置只能看自己和前面的位置
import torch


def causal_mask(t, device=None):
    a = torch.ones(t, t, device=device)
    return torch.tril(a).bool().unsqueeze(0).unsqueeze(1)


def causal_attention(q, k, v, causal=True):
    dk = q.size()[-1]
    score = torch.matmul(q, torch.transpose(k, -1, -2)) / (dk ** 0.5)
    if causal is False:
        weight = torch.softmax(score, -1)
        return torch.matmul(weight, v), weight
    else:
        T = q.size()[-2]
        low = torch.tril(torch.ones(T, T, device=q.device))
        score = score.masked_fill(low == 0, float('-inf'))
        weight = torch.softmax(score, -1)
        value = torch.matmul(weight, v)
        return value, weight
