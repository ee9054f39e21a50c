from dataclasses import dataclass

import torch
from torch import Tensor


def valid_tokens(lengths: Tensor | list[int], t: int) -> Tensor:
    lengths = lengths if isinstance(lengths, Tensor) else torch.tensor(lengths, dtype=torch.int64)
    return lengths.unsqueeze(-1) > torch.arange(t, device=lengths.device)


def padding_key_mask(valid: Tensor) -> Tensor:
    return valid[..., None, None, :]


def padding_query_mask(valid: Tensor) -> Tensor:
    return valid[..., None, :, None]


@dataclass
class Visibility:
    valid: Tensor
    causal: bool

    @property
    def mask(self) -> Tensor:
        m = padding_key_mask(self.valid) & padding_query_mask(self.valid)
        if self.causal:
            n = self.valid.size(-1)
            m = m & ~torch.ones(n, n, dtype=torch.bool, device=m.device).triu(1)
        return m


def combined_mask(valid: Tensor, causal: bool = True) -> Tensor:
    return Visibility(valid, causal).mask


def masked_attention(
    q: Tensor, k: Tensor, v: Tensor, causal: bool = True, padding_mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    if padding_mask is None:
        padding_mask = torch.ones(q.size(0), q.size(-2), dtype=torch.bool, device=q.device)
    mask = combined_mask(padding_mask, causal)
    scores = (q @ k.mT) * q.size(-1) ** -0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num(0.0)
    return weights @ v, weights
