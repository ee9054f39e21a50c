import math
import torch
from torch import Tensor
def attention_weights(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Softmax over the keys; nonzero in ``mask`` means visible, a row without a visible key is all zero."""
    visible = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask != 0
    shown = scores.masked_fill(~visible, -math.inf)
    weights = torch.softmax(shown, dim=-1)
    sees_something = visible.any(dim=-1, keepdim=True)
    return weights.masked_fill(~sees_something, 0.0)