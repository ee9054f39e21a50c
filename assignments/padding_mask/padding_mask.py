"""The padding mask: sentences of unequal length in one batch, without the filling ever being read.

Letters: B batch, H heads, T tokens, D features per head. True always means "visible", or "a real token".
Replace every ``raise NotImplementedError`` by your own code; keep the names and the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def valid_tokens(lengths: Tensor | Sequence[int], t: int) -> Tensor:
    """Which positions hold a real token, when padding stands at the end.

    Args:
        lengths: an int tensor [B] or a list of ints, each from 0 to t.
        t: the length that all sentences were filled up to.

    Returns:
        bool [B, t]; True for the first lengths[b] positions of sentence b.
    """
    raise NotImplementedError("TODO: valid_tokens")


def padding_key_mask(valid: Tensor) -> Tensor:
    """Which keys may be looked at, shaped to fit scores [B, H, T, T].

    Args:
        valid: bool [B, T], True = a real token.

    Returns:
        bool [B, 1, 1, T].
    """
    raise NotImplementedError("TODO: padding_key_mask")


def padding_query_mask(valid: Tensor) -> Tensor:
    """Which queries are real, shaped to fit scores [B, H, T, T].

    Args:
        valid: bool [B, T], True = a real token.

    Returns:
        bool [B, 1, T, 1].
    """
    raise NotImplementedError("TODO: padding_query_mask")


def combined_mask(valid: Tensor, causal: bool = True) -> Tensor:
    """Everything a query may look at.

    Args:
        valid: bool [B, T], True = a real token.
        causal: whether later tokens are hidden too.

    Returns:
        bool [B, 1, T, T]; True where query i is real, key j is real and, if causal, j <= i.
    """
    raise NotImplementedError("TODO: combined_mask")


def masked_attention(
    q: Tensor, k: Tensor, v: Tensor, causal: bool = True, padding_mask: torch.Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention under both masks.

    Args:
        q, k, v: [B, H, T, D].
        causal: whether later tokens are hidden.
        padding_mask: bool [B, T], True = a real token, at any positions; None means that all are real.

    Returns:
        (values [B, H, T, D], weights [B, H, T, T]). Rows of real queries sum to 1 and hold nothing of a padding
        token; rows of padding queries are 0 in both. Nowhere NaN, in gradients neither.
    """
    raise NotImplementedError("TODO: masked_attention")
