"""Writes questions to the worker. The same questions in the same order are the same bytes, whoever asks them.

So a question can be known, and sent, before a check asks it (``grader/student/ahead.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from torch import Tensor

from grader.rpc.frames import pack
from grader.rpc.values import Encoder, Handle

_LABELS_PER_TEST: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Question:
    """One message to the worker; ``label`` is what it keeps the object or the graph of a call under."""

    owner: str  # the function or class it is about
    data: bytes
    label: int
    leaves: tuple[Tensor, ...] = ()  # the arguments that want a gradient, in the order of their buffers


class Held:
    """Stands for an object that is kept elsewhere."""

    @property
    def handle_(self) -> Handle:
        raise NotImplementedError


class Questions:
    """Numbers what the worker is to keep, test by test."""

    def __init__(self) -> None:
        self._test = 0
        self._asked = 0

    def begin(self, test: int) -> None:
        """The next questions belong to the test of this number."""
        self._test, self._asked = test, 0

    def call(
        self,
        owner: str,
        target: Mapping[str, Any],
        args: Sequence[Any],
        named: Mapping[str, Any],
        *,
        watch: bool,
        hold: bool,
        graph: bool,
    ) -> Question:
        """Call a function, make an object, or call one; ``graph``: keep what a backward needs in any case."""
        encoder = Encoder()
        tree = {
            "args": {"t": [encoder.encode(handled(a)) for a in args]},
            "kwargs": {"d": [[key, encoder.encode(handled(value))] for key, value in named.items()]},
        }
        leaves = tuple(t for t in encoder.tensors if t.requires_grad)
        label = self._next()
        kept = {"hold": label if hold else None, "graph": label if graph or leaves else None}
        data = pack({"op": "call", **target, **tree, "watch": watch, **kept}, encoder)
        return Question(owner, data, label, leaves)

    def backward(self, owner: str, label: int, grads: Sequence[Tensor | None]) -> Question:
        """Go back through the call of this label with gradients of its results."""
        encoder = Encoder()
        data = pack({"op": "backward", "graph": label, "grads": encoder.encode(list(grads))}, encoder)
        return Question(owner, data, self._next())

    def about_object(self, owner: str, number: int, what: str, more: Mapping[str, Any]) -> Question:
        """Anything but a call: parameters, modes, gradients. ``more`` is plain values and tensors by key."""
        encoder = Encoder()
        given = {key: encoder.encode(value) for key, value in more.items()}
        header = {"op": "object", "object": number, "do": what, **given}
        return Question(owner, pack(header, encoder), self._next())

    def seed(self, number: int) -> Question:
        return Question("seed", pack({"op": "seed", "seed": number}), self._next())

    def _next(self) -> int:
        self._asked += 1
        return self._test * _LABELS_PER_TEST + self._asked


def handled(value: Any) -> Any:
    """Stand-ins inside arguments become handles."""
    if isinstance(value, Held):
        return value.handle_
    if isinstance(value, tuple | list):
        return type(value)(handled(item) for item in value)
    if isinstance(value, dict):
        return {key: handled(item) for key, item in value.items()}
    return value
