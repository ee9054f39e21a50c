"""Parameters of modules that stay in the worker, by name."""

from __future__ import annotations

import torch
from torch import nn

from grader.rpc.frames import Frame
from grader.worker.objects import Objects


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 3)


class Outer(nn.Module):
    """Its inner module comes first, and can be reached round about as well."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        self.second = self.inner.second
        self.inner.round_about = nn.ModuleList([self.inner])
        self.last = nn.Linear(3, 1)


def test_a_shared_parameter_goes_by_the_name_nearest_to_the_top() -> None:
    objects, module = Objects(), Outer()
    objects.hold(1, module)
    named = objects.operate(Frame(0, {"object": 1, "do": "parameters"}, memoryview(b"")))
    assert list(named) == [
        "inner.first.weight", "inner.first.bias", "second.weight", "second.bias", "last.weight", "last.bias",
    ]  # fmt: skip
    assert named["second.weight"] is module.inner.second.weight
    assert isinstance(named["last.bias"], torch.Tensor)
