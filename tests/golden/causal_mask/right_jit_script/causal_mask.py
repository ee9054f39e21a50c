import torch
from torch import Tensor
from typing import Optional, Tuple


def causal_mask(t: int, device: Optional[torch.device] = None) -> Tensor:
    return torch.ones(t, t, dtype=torch.bool, device=device).tril().unsqueeze(0).unsqueeze(0)


@torch.jit.script
def causal_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tuple[Tensor, Tensor]:
    scores = torch.matmul(q, k.transpose(-2, -1)) / float(q.size(-1)) ** 0.5
    if causal:
        t = q.size(-2)
        visible = torch.ones(t, t, dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(torch.logical_not(visible), -1e10)
    weights = torch.softmax(scores, -1)
    return torch.matmul(weights, v), weights
