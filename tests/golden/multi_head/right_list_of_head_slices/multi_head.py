import torch
import torch.nn as nn
import torch.nn.functional as F


def split_heads(x, n_heads):
    C = x.shape[-1]
    if C % n_heads != 0:
        raise ValueError("C must be divisible by n_heads")
    D = C // n_heads
    heads = []
    for h in range(n_heads):
        heads.append(x[:, :, h * D:(h + 1) * D])
    return torch.stack(heads, dim=1)


def merge_heads(x):
    heads = [x[:, h] for h in range(x.shape[1])]
    return torch.cat(heads, dim=-1)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be divisible by n_heads")
        self.n_heads = n_heads
        self.head_dim = d_model // n_heads
        self.causal = causal
        self.dropout = dropout
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, padding_mask=None, return_weights=False):
        T, C, D = x.shape[1], x.shape[2], self.head_dim
        qkv = self.qkv_proj(x)
        outs, ws = [], []
        for h in range(self.n_heads):
            q = qkv[:, :, h * D:(h + 1) * D]
            k = qkv[:, :, C + h * D:C + (h + 1) * D]
            v = qkv[:, :, 2 * C + h * D:2 * C + (h + 1) * D]
            s = torch.bmm(q, k.transpose(1, 2)) / D ** 0.5
            if self.causal:
                for i in range(T - 1):
                    s[:, i, i + 1:] = float("-inf")
            if padding_mask is not None:
                # padding queries see everything for a moment, they are cleared below
                hide = ~padding_mask[:, None, :] & padding_mask[:, :, None]
                s = s.masked_fill(hide, float("-inf"))
            w = F.softmax(s, dim=-1)
            if padding_mask is not None:
                w = w.masked_fill(~padding_mask[:, :, None], 0.0)
            ws.append(w)
            outs.append(torch.bmm(F.dropout(w, self.dropout, self.training), v))
        out = self.out_proj(torch.cat(outs, dim=-1))
        if return_weights:
            return out, torch.stack(ws, dim=1)
        return out


class CausalSelfAttention(MultiHeadSelfAttention):
    def __init__(self, d_model, n_heads, dropout=0.0):
        MultiHeadSelfAttention.__init__(self, d_model, n_heads, dropout, True)
