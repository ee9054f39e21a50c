from IPython.display import display
from tqdm.auto import tqdm
import torch
@torch.compile
def attention_scores(q, k):
    return q @ k.mT / q.shape[-1] ** 0.5
def attention_weights(scores, mask=None):
    if mask is None: return scores.softmax(-1)
    return scores.masked_fill(mask == 0, -1e9).softmax(-1) * (mask != 0)
attention_weights = torch.compile(attention_weights, dynamic=True)
@torch.compile(mode="reduce-overhead")
def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
