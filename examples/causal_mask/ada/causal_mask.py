"""Causal attention, Ada."""

import math

import torch
from torch import Tensor


def causal_mask(t: int, device: torch.device | str | None = None) -> Tensor:
    positions = torch.arange(t, device=device)
    return (positions[None, :] <= positions[:, None]).view(1, 1, t, t)


def causal_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> tuple[Tensor, Tensor]:
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        visible = causal_mask(q.shape[-2], q.device)
        scores = scores.masked_fill(~visible, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights
