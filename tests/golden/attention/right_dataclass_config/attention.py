from __future__ import annotations

from dataclasses import dataclass, field

import torch


@dataclass(frozen=True)
class AttentionConfig:
    fill: float = -1e9
    power: float = -0.5
    axes: tuple[int, int] = field(default=(-2, -1))

    def scale(self, d: int) -> float:
        return d ** self.power


CONFIG = AttentionConfig()


def attention_scores(q, k, config: AttentionConfig = CONFIG):
    return q @ k.transpose(*config.axes) * config.scale(q.shape[-1])


def attention_weights(scores, mask=None, config: AttentionConfig = CONFIG):
    key_axis = config.axes[1]
    if mask is None:
        return torch.softmax(scores, key_axis)
    m = mask.to(dtype=scores.dtype)
    w = torch.softmax(scores + (1.0 - m) * config.fill, key_axis)
    return w * m


def scaled_dot_product_attention(q, k, v, mask=None, config: AttentionConfig = CONFIG):
    w = attention_weights(attention_scores(q, k, config), mask, config)
    return w @ v, w
