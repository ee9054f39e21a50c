"""Cross-attention: one sequence asks, another one answers.

Letters: B batch, Tq queries, Tk tokens of the memory, C = d_model features, H heads, D features of a query or key,
Dv features of a value.
Replace every ``raise NotImplementedError`` by your own code; keep the names and the parameters.
"""

from __future__ import annotations

import torch
from torch import nn


def scaled_dot_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scaled dot-product attention of one head; Tq and Tk, D and Dv may differ.

    Args:
        q: [B, Tq, D].
        k: [B, Tk, D].
        v: [B, Tk, Dv].
        mask: bool or 0/1 numbers, [Tq, Tk], [1, Tq, Tk] or [B, Tq, Tk]; 0 = blocked. Every row has a visible key.

    Returns:
        The tuple (out [B, Tq, Dv], weights [B, Tq, Tk]).
    """
    raise NotImplementedError("TODO: scaled_dot_attention")


class MultiHeadCrossAttention(nn.Module):
    """Attention with several heads from one sequence into another.

    Four layers hold all the parameters, each an nn.Linear from C to C features:
        q_proj (for x), k_proj and v_proj (for the memory), out_proj (the last step).
    Head h holds the features h*D up to (h+1)*D - 1, with D = C / H.
    """

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0) -> None:
        """Make the layers (call nn.Module's own constructor first)."""
        raise NotImplementedError("TODO: MultiHeadCrossAttention.__init__")

    def forward(
        self,
        x: torch.Tensor,
        memory: torch.Tensor,
        memory_mask: torch.Tensor | None = None,
        return_weights: bool = False,
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Attend from x into the memory.

        Args:
            x: [B, Tq, C].
            memory: [B, Tk, C].
            memory_mask: bool [B, Tk], True = a real token; None means that all are real.
            return_weights: also give the attention weights.

        Returns:
            [B, Tq, C], or the tuple (output [B, Tq, C], weights [B, H, Tq, Tk]).
        """
        raise NotImplementedError("TODO: MultiHeadCrossAttention.forward")
