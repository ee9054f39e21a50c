"""Objects that stay in the worker: modules and caches the student's classes made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from grader.rpc.frames import Frame
from grader.rpc.values import Handle, kind_of


class Objects:
    """Objects under the numbers they were asked to be kept by, and what can be asked of them."""

    def __init__(self) -> None:
        self._held: dict[int, Any] = {}
        self._operations: Mapping[str, Callable[[Any, Frame], Any]] = {
            "parameters": lambda held, frame: dict(_parameters(held)),
            "load": _load,
            "train": lambda held, frame: _mode(held, True),
            "eval": lambda held, frame: _mode(held, False),
            "to": _to,
            "zero_grad": _zero_grad,
            "grads": lambda held, frame: {name: p.grad for name, p in _parameters(held)},
        }

    def hold(self, number: int, thing: Any) -> Handle:
        self._held[number] = thing
        return Handle(number, kind_of(thing))

    def get(self, number: int) -> Any:
        return self._held[number]

    def operate(self, frame: Frame) -> Any:
        number, what = frame.header["object"], frame.header["do"]
        if what == "drop":
            self._held.pop(number, None)
            return None
        return self._operations[what](self._held[number], frame)

    def resolve(self, value: Any) -> Any:
        """Handles inside arguments become the objects again."""
        if type(value) is torch.Tensor:
            return value
        if isinstance(value, Handle):
            return self._held[value.id]
        if isinstance(value, tuple | list):
            return type(value)(self.resolve(item) for item in value)
        if isinstance(value, dict):
            return {key: self.resolve(item) for key, item in value.items()}
        return value


def _parameters(held: Any) -> list[tuple[str, torch.nn.Parameter]]:
    """Each once, in the order of its making. One that several modules share goes by the name nearest to the top."""
    if not isinstance(held, torch.nn.Module):
        return []
    nearest = _nearest_names(held)
    return [(nearest[id(found)], found) for _, found in torch.nn.Module.named_parameters(held)]


def _nearest_names(held: torch.nn.Module) -> dict[int, str]:
    """The first name that each parameter has in the fewest steps: level by level, no module twice."""
    names: dict[int, str] = {}
    seen = {id(held)}
    level = [("", held)]
    while level:
        below = []
        for above, module in level:
            for name, parameter in torch.nn.Module.named_parameters(module, recurse=False):
                names.setdefault(id(parameter), f"{above}{name}")
            for name, child in torch.nn.Module.named_children(module):
                if id(child) not in seen:
                    seen.add(id(child))
                    below.append((f"{above}{name}.", child))
        level = below
    return names


def _load(held: Any, frame: Frame) -> Any:
    """Copy values into parameters by name; says which names are absent and which shapes differ."""
    given = frame.decoder().decode(frame.header["values"])
    own = dict(_parameters(held))
    absent = [name for name in given if name not in own]
    differing = {name: list(own[name].shape) for name in given if name in own and own[name].shape != given[name].shape}
    if not absent and not differing:
        with torch.no_grad():
            for name, value in given.items():
                own[name].copy_(value)
    return {"absent": absent, "differing": differing}


def _mode(held: Any, training: bool) -> None:
    held.train(training)


def _to(held: Any, frame: Frame) -> None:
    held.to(getattr(torch, frame.header["dtype"]))


def _zero_grad(held: Any, frame: Frame) -> None:
    for _, parameter in _parameters(held):
        parameter.grad = None
