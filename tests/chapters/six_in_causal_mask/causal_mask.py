"""One head of attention, in the way of the chapter on focus: a question, labels, contents."""

import torch
from torch.nn import functional


def scaled_dot_attention(q, k, v, mask=None):
    # q: [B, Tq, D]; k: [B, Tk, D]; v: [B, Tk, Dv]; mask: 0 where a key is blocked
    similar = q @ k.transpose(-2, -1)
    similar = similar / q.shape[-1] ** 0.5
    if mask is not None:
        similar = similar.masked_fill(mask == 0, -1e9)
    weights = functional.softmax(similar, dim=-1)
    return weights @ v, weights


if __name__ == "__main__":
    tokens = torch.randn(1, 4, 8)
    focused, shares = scaled_dot_attention(tokens, tokens, tokens)
    print("shares:", shares.shape)
    lower = torch.ones(1, 4, 4).tril()
    focused, shares = scaled_dot_attention(tokens, tokens, tokens, mask=lower)
    print("last row:", shares[0, 3].tolist())
