"""The causal mask: a token may look at itself and at what came before, never at what comes after.

Letters: B batch, H heads, T tokens, D features per head. True always means "visible".
Replace every ``raise NotImplementedError`` by your own code; keep the names and the parameters.
"""

from __future__ import annotations

import torch
from torch import Tensor


def causal_mask(t: int, device: torch.device | str | None = None) -> Tensor:
    """Who may look at whom among t tokens.

    Args:
        t: the number of tokens.
        device: where the mask is made.

    Returns:
        bool [1, 1, t, t]. Rows are queries, columns are keys; True where key j <= query i.
    """
    raise NotImplementedError("TODO: causal_mask")


def causal_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention in which no token sees a later one.

    Args:
        q, k, v: [B, H, T, D].
        causal: with False the future is visible: the contrast that shows what the mask does.

    Returns:
        (values [B, H, T, D], weights [B, H, T, T]). Every row of weights sums to 1.
    """
    raise NotImplementedError("TODO: causal_attention")
