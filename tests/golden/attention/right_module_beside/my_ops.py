"""Small operations that attention.py is put together from."""
import torch


def inverse_root(d):
    return d ** -0.5


def matmul_t(a, b):
    return a @ b.transpose(-2, -1)


def masked_softmax(x, mask):
    if mask is None:
        return torch.softmax(x, dim=-1)
    keep = mask.bool()
    x = torch.where(keep, x, x.new_tensor(-1e9))
    return torch.softmax(x, dim=-1) * keep
