#!/usr/bin/env python
# In[3]:

get_ipython().run_line_magic('pip','install torch')
import math
import torch
# In[1]:
get_ipython().run_cell_magic('time','','def causal_mask(t, device=None):\n    """True where key j <= query i: bool [1, 1, t, t]."""\n    visible = torch.tril(torch.ones(t, t, dtype=torch.bool, device=device))\n    return visible[None, None, :, :]')
# In[2]:
def causal_attention(q, k, v, causal=True):
    """q, k, v [B, H, T, D] -> (values [B, H, T, D], weights [B, H, T, T])."""
    products = q @ k.transpose(-2, -1)
    scores = products / math.sqrt(q.shape[-1])
    if causal:
        hidden = torch.logical_not(causal_mask(q.shape[-2], q.device))
        scores = scores.masked_fill(hidden, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    values = weights @ v
    return values, weights
get_ipython().run_line_magic('timeit','causal_mask(3)')
