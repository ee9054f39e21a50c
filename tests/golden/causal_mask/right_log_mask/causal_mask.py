import torch


def causal_mask(t: int, device: torch.device | None = None) -> torch.Tensor:
    """True where the key is not after the query."""
    return torch.ones(t, t, device=device).tril(0).to(torch.bool).reshape(1, 1, t, t)


def causal_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = True
) -> tuple[torch.Tensor, torch.Tensor]:
    logits = (q * q.shape[-1] ** -0.25) @ (k * k.shape[-1] ** -0.25).transpose(-2, -1)
    if causal:
        logits = logits + causal_mask(q.shape[-2], q.device).to(logits.dtype).log()
    weights = torch.exp(logits - torch.logsumexp(logits, dim=-1, keepdim=True))
    return weights @ v, weights
