import torch

def attention_scores(q, k):
	d = q.shape[-1]
	return torch.einsum('...id, ...jd -> ...ij', q, k) / d**.5

def attention_weights(scores, mask=None):
	if mask is not None:
		m = mask.bool()
		w = torch.softmax(scores.masked_fill(m == False, -1e9), -1)
		return w * m
	else:
		return torch.softmax(scores, -1)

def scaled_dot_product_attention(q, k, v, mask=None):
	w = attention_weights(attention_scores(q, k), mask)
	return w @ v, w
