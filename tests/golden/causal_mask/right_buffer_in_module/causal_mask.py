import math

import torch
from torch import nn


class Attention(nn.Module):
    """One head block with a mask made once and cut to the length at hand."""

    def __init__(self, block_size=256):
        super().__init__()
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, q, k, v, causal=True):
        T = q.size(-2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if causal:
            att = att.masked_fill(self.tril[:T, :T].to(att.device) == 0, float("-inf"))
        att = self.softmax(att)
        return att @ v, att


causal_attention = Attention()


def causal_mask(t, device=None):
    return causal_attention.tril[:t, :t].to(device).bool().view(1, 1, t, t)
