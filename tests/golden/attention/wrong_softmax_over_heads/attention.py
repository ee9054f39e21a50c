import math
import torch.nn as nn


class Weights(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=1)

    def forward(self, scores, mask=None):
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        w = self.softmax(scores)
        return w if mask is None else w * (mask != 0)


attention_weights = Weights()


def attention_scores(q, k):
    return q.matmul(k.transpose(-2, -1)).div(math.sqrt(q.shape[-1]))


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w.matmul(v), w
