"""What the loader's tests share: one call that loads text and remembers what was announced."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from grader.worker.loader import load
from grader.worker.records import Loaded

STUB = '''\
"""The stub as handed out."""

import math

from torch import Tensor, nn


def scores(q: Tensor, k: Tensor) -> Tensor:
    """q [..., Tq, D], k [..., Tk, D] -> [..., Tq, Tk]."""
    d = q.shape[-1]
    raise NotImplementedError("TODO: scores")


class Heads(nn.Module):
    """Heads side by side."""

    def __init__(self, width: int) -> None:
        super().__init__()
        raise NotImplementedError("TODO: parameters")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("TODO: forward")
'''
REAL = "def scores(q, k):\n    return q + k\n"


@dataclass
class Load:
    """A load and what was announced on the way."""

    result: Loaded
    announced: list[tuple[int, int | None, int | None]]  # (number, line, cell)

    def __getitem__(self, name: str) -> Any:
        return self.result.namespace[name]

    def __contains__(self, name: str) -> bool:
        return name in self.result.namespace

    def definition(self, name: str = "scores") -> Mapping[str, Any]:
        return next(d for d in self.result.definitions if d["name"] == name)

    def state(self, name: str = "scores") -> str:
        return str(self.definition(name)["state"])

    @property
    def remark_kinds(self) -> list[str]:
        return [remark["kind"] for remark in self.result.remarks]

    @property
    def flag_kinds(self) -> list[str]:
        return [flag["kind"] for flag in self.result.flags]

    def remark(self, kind: str) -> Mapping[str, Any]:
        return next(remark for remark in self.result.remarks if remark["kind"] == kind)


def run(
    *sources: str,
    notebook: bool = False,
    modules: Mapping[str, str] | None = None,
    names: tuple[str, ...] = ("scores",),
    aliases: tuple[str, ...] = (),
    skip: Collection[int] | Mapping[str, str] = (),
    stub: str = STUB,
) -> Load:
    """Load a file, or the cells of a notebook (numbered from 1)."""
    chunks = [
        {
            "source": source,
            "file": "attention.ipynb" if notebook else "attention.py",
            "line": 1,
            "cell": number if notebook else None,
        }
        for number, source in enumerate(sources, start=1)
    ]
    required = [{"name": name, "aliases": list(aliases), "stub": stub} for name in names]
    announced: list[tuple[int, int | None, int | None]] = []
    result = load(
        chunks,
        modules or {},
        "attention",
        required,
        skip,
        lambda number, spot: announced.append((number, spot["line"], spot["cell"])),
    )
    return Load(result, announced)


def cells(*sources: str, **rest: Any) -> Load:
    """Load the cells of a notebook."""
    return run(*sources, notebook=True, **rest)
