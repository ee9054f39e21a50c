import math

import torch
import torch.nn as nn


class Scores(nn.Module):
    def forward(self, q, k):
        return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))


class Weights(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, scores, mask=None):
        if mask is None:
            return self.softmax(scores)
        mask = mask.to(torch.bool)
        scores = scores.masked_fill(~mask, float("-inf"))
        return self.softmax(scores).masked_fill(~mask, 0.0)


class Attention(nn.Module):
    def __init__(self, scores, weights, dropout=0.0):
        super().__init__()
        self.scores = scores
        self.weights = weights
        self.dropout = nn.Dropout(dropout)

    def forward(self, q, k, v, mask=None):
        w = self.weights(self.scores(q, k), mask)
        return self.dropout(w) @ v, w


attention_scores = Scores()
attention_weights = Weights()
scaled_dot_product_attention = Attention(attention_scores, attention_weights)
