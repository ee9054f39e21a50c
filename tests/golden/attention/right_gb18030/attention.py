# -*- coding: gb18030 -*-
"""注意力：先算相似度，再缩放，再归一化，最后加权求和。"""
import math

import torch


def attention_scores(q, k):
    """相似度除以根号 d_k。"""
    维度 = q.shape[-1]
    return q @ k.transpose(-2, -1) / math.sqrt(维度)


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    不可见 = mask == 0
    权重 = torch.softmax(scores.masked_fill(不可见, float("-inf")), dim=-1)
    return 权重.masked_fill(不可见, 0.0)      # 全被遮住的行为零


def scaled_dot_product_attention(q, k, v, mask=None):
    权重 = attention_weights(attention_scores(q, k), mask)
    return 权重 @ v, 权重
