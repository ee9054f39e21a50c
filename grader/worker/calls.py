"""Calling the student's code: arguments in, value out, and the way back for gradients."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import torch

from grader.rpc.frames import Frame
from grader.rpc.values import Encoder
from grader.worker.objects import Objects

_GRAPHS_KEPT = 64


@dataclass(frozen=True, slots=True)
class _Graph:
    """What a later backward needs: the leaves that went in, the tensors that came out."""

    leaves: dict[int, torch.Tensor]
    outputs: list[torch.Tensor]


class Calls:
    """The callables of a submission, and the graphs of its latest calls."""

    def __init__(self, objects: Objects) -> None:
        self.namespace: dict[str, Any] = {}
        self._objects = objects
        self._graphs: OrderedDict[int, _Graph] = OrderedDict()
        self._pending: tuple[int, dict[int, torch.Tensor]] | None = None
        self._after: Any = None

    def call(self, frame: Frame) -> Any:
        """Call a function, a constructor or a method; leaves of graphs are copies that may be written to."""
        self._pending = self._after = None
        question = frame.header
        decoder = frame.decoder()
        args, kwargs = decoder.decode(question["args"]), decoder.decode(question["kwargs"])
        leaves: dict[int, torch.Tensor] = {}
        if question["graph"] is not None:
            leaves = {i: decoder.tensors[i].requires_grad_() for i in sorted(decoder.with_grad)}
            stand_ins = {id(leaf): leaf.clone() for leaf in leaves.values()}  # in-place writes are legal on these
            if stand_ins:
                args, kwargs = _replaced(args, stand_ins), _replaced(kwargs, stand_ins)
        args, kwargs = self._objects.resolve(args), self._objects.resolve(kwargs)
        value = self._target(question)(*args, **kwargs)
        if question["graph"] is not None:
            self._pending = (question["graph"], leaves)
        self._after = (args, kwargs) if question["watch"] else None
        return self._objects.hold(question["hold"], value) if question["hold"] is not None else value

    def _target(self, question: dict[str, Any]) -> Any:
        if "name" in question:
            return self.namespace[question["name"]]
        held = self._objects.get(question["object"])
        return held if question["method"] == "__call__" else _method(held, question["method"])

    def reply(self, result: Any, encoder: Encoder) -> dict[str, Any]:
        """The answer to any question: its value; after a call also the inputs as they are now. Keeps the graph."""
        body: dict[str, Any] = {"reply": encoder.encode(result)}
        if self._pending is not None:
            number, leaves = self._pending
            self._graphs[number] = _Graph(leaves, list(encoder.tensors))
            while len(self._graphs) > _GRAPHS_KEPT:
                self._graphs.popitem(last=False)
        if self._after is not None:
            body["after"] = encoder.encode(self._after)
        self._pending = self._after = None
        return body

    def backward(self, frame: Frame) -> Any:
        """Gradients of the leaves of an earlier call, in the order of their buffers; None where none came."""
        graph = self._graphs[frame.header["graph"]]
        given = frame.decoder().decode(frame.header["grads"])
        pairs = [(out, grad) for out, grad in zip(graph.outputs, given, strict=True) if grad is not None]
        pairs = [(out, grad) for out, grad in pairs if out.requires_grad]
        for leaf in graph.leaves.values():
            leaf.grad = None
        if pairs:
            # What ``autograd.backward(outs, grads)`` gives, which first imports sympy: most of a second.
            with torch.enable_grad():
                totals = [(out * grad).sum() for out, grad in pairs]
            torch.autograd.backward(totals, retain_graph=True)
        return [leaf.grad for leaf in graph.leaves.values()]


def _method(held: Any, name: str) -> Any:
    special = getattr(type(held), name, None) if name.startswith("__") else None
    return special.__get__(held) if special is not None else getattr(held, name)


def _replaced(value: Any, stand_ins: dict[int, torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return stand_ins.get(id(value), value)
    if isinstance(value, tuple | list):
        return type(value)(_replaced(item, stand_ins) for item in value)
    if isinstance(value, dict):
        return {key: _replaced(item, stand_ins) for key, item in value.items()}
    return value
