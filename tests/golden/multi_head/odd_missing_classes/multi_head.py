import torch
import torch.nn as nn
import torch.nn.functional as F


def split_heads(x, n_heads):
    b, t, c = x.size()
    if c % n_heads:
        raise ValueError("c % n_heads != 0")
    return x.reshape(b, t, n_heads, c // n_heads).permute(0, 2, 1, 3)


def merge_heads(x):
    b, h, t, d = x.size()
    return x.permute(0, 2, 1, 3).reshape(b, t, h * d)
