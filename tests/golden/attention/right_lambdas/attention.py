import torch

attention_scores = lambda q, k: (q / q.shape[-1] ** .5) @ k.transpose(-1, -2)
attention_weights = lambda scores, mask=None: (
    scores.softmax(-1) if mask is None
    else scores.masked_fill(mask == 0, -1e9).softmax(-1) * (mask != 0)
)
scaled_dot_product_attention = lambda q, k, v, mask=None: (
    (w := attention_weights(attention_scores(q, k), mask)) @ v, w
)
