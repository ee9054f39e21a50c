"""Random inputs that are a function of the seed and the test, so that order never matters."""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor


class Draws:
    """The ``rng`` of a check."""

    def __init__(self, seed: int, test_id: str) -> None:
        digest = hashlib.sha256(f"{seed}:{test_id}".encode()).digest()
        self._source = torch.Generator().manual_seed(int.from_bytes(digest[:8], "little") >> 1)

    def __call__(self, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
        """Standard normal numbers of the given shape."""
        return torch.randn(shape, generator=self._source, dtype=torch.float64).to(dtype)

    def uniform(self, low: float, high: float, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
        """Numbers between ``low`` and ``high``."""
        drawn = torch.rand(shape, generator=self._source, dtype=torch.float64)
        return (low + (high - low) * drawn).to(dtype)

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """int64 numbers in ``low .. high - 1``."""
        return torch.randint(low, high, shape, generator=self._source)

    def number(self, low: int, high: int) -> int:
        """One whole number in ``low .. high - 1``."""
        return int(self.integers(low, high).item())

    def permutation(self, n: int) -> list[int]:
        """The numbers 0 .. n - 1 in some order."""
        return [int(i) for i in torch.randperm(n, generator=self._source)]

    def keep(self, *shape: int, p: float = 0.6) -> Tensor:
        """A bool mask, True = visible: each row of the last axis keeps one, and drops one where it has two."""
        mask = torch.rand(shape, generator=self._source) < p
        rows = mask.reshape(-1, shape[-1])
        for row in rows:
            if not row.any():
                row[self.number(0, len(row))] = True
            if row.all() and len(row) > 1:
                row[self.number(0, len(row))] = False
        return rows.reshape(shape)
