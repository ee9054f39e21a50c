import torch
from tqdm import tqdm
def causal_mask(t, device=None):
    return torch.ones(1, 1, t, t, device=device).tril().bool()
def causal_attention(q, k, v, causal=True):
    rows = []
    for i in tqdm(range(q.shape[2]), leave=False):
        s = q[:, :, i:i + 1] @ k.mT / q.shape[3] ** .5
        if causal: s = s.masked_fill(torch.arange(q.shape[2]) > i, -1e9)
        rows.append(s.softmax(-1))
    w = torch.cat(rows, 2)
    return w @ v, w
