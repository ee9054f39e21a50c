"""Multi-head self-attention: cut the features into heads, let each head attend, put the heads together.

Letters: B batch, T tokens, C = d_model features, H heads, D = C / H features a head.
Replace every ``raise NotImplementedError`` by your own code; keep the names and the parameters.
"""

from __future__ import annotations

import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Cut the features of every token into heads.

    Args:
        x: [B, T, C].
        n_heads: the number of heads, H.

    Returns:
        [B, H, T, D]. Head h holds the features h*D up to (h+1)*D - 1 of every token.

    Raises:
        ValueError: where C is not a multiple of n_heads.
    """
    raise NotImplementedError("TODO: split_heads")


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Put the heads side by side again: what split_heads did, undone.

    Args:
        x: [B, H, T, D].

    Returns:
        [B, T, H*D].
    """
    raise NotImplementedError("TODO: merge_heads")


class MultiHeadSelfAttention(nn.Module):
    """Self-attention with several heads.

    Two layers hold all the parameters, under these names:
        qkv_proj: nn.Linear from C to 3*C features; query, key and value one after the other on the last axis.
        out_proj: nn.Linear from C to C features; the last step.
    """

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0, causal: bool = False) -> None:
        """Make the layers (call nn.Module's own constructor first).

        Raises:
            ValueError: where d_model is not a multiple of n_heads.
        """
        raise NotImplementedError("TODO: MultiHeadSelfAttention.__init__")

    def forward(
        self, x: torch.Tensor, padding_mask: torch.Tensor | None = None, return_weights: bool = False
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Attend.

        Args:
            x: [B, T, C].
            padding_mask: bool [B, T], True = a real token; None means that all are real.
            return_weights: also give the attention weights.

        Returns:
            [B, T, C], or the tuple (output [B, T, C], weights [B, H, T, T]).
        """
        raise NotImplementedError("TODO: MultiHeadSelfAttention.forward")


class CausalSelfAttention(MultiHeadSelfAttention):
    """The same module, made so that no token ever sees a later one."""

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0) -> None:
        """Make a MultiHeadSelfAttention that is causal for good."""
        raise NotImplementedError("TODO: CausalSelfAttention.__init__")
