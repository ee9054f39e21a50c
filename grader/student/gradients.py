"""A call across the wall that our autograd can go back through: forward is one question, backward another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from grader.errors import WorkerDied
from grader.rpc.frames import Frame
from grader.rpc.values import ProtocolError
from grader.student.log import Answered
from grader.student.questions import Question, Questions


class Asks(Protocol):
    """What a call needs of the student it asks."""

    log_: list[Answered]

    @property
    def generation_(self) -> int: ...

    @property
    def questions_(self) -> Questions: ...

    def ask_(self, question: Question) -> Frame: ...

    def protocol_broken_(self, owner: str, why: str) -> WorkerDied: ...


@dataclass(slots=True)
class Answer:
    value: Any
    tensors: list[Tensor]
    with_grad: list[bool]


class GoesBothWays(Protocol):
    """A call that can be made, and gone back through."""

    def forward(self) -> Answer: ...

    def backward(self, grads: Sequence[Tensor | None]) -> list[Tensor | None]: ...


class Asked:
    """One call that was sent, and what is needed to go back through it."""

    def __init__(self, student: Asks, question: Question) -> None:
        self._student, self._question = student, question
        self._generation = 0
        self.after: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})

    def forward(self) -> Answer:
        frame = self._student.ask_(self._question)
        self._generation = self._student.generation_
        try:
            decoder = frame.decoder()
            value = decoder.decode(frame.header.get("reply"))
            order = sorted(decoder.tensors)
            answer = Answer(value, [decoder.tensors[i] for i in order], [i in decoder.with_grad for i in order])
            if "after" in frame.header:
                args, named = decoder.decode(frame.header["after"])
                self.after = (tuple(args), dict(named))
            return answer
        except (ProtocolError, TypeError, ValueError) as broken:
            raise self._student.protocol_broken_(self._question.owner, str(broken)) from None

    def backward(self, grads: Sequence[Tensor | None]) -> list[Tensor | None]:
        owner = self._question.owner
        if self._generation != self._student.generation_:
            raise WorkerDied(owner, "its process ended before the gradients were asked for")
        frame = self._student.ask_(self._student.questions_.backward(owner, self._question.label, grads))
        try:
            value = frame.decoder().decode(frame.header.get("reply"))
        except ProtocolError as broken:
            raise self._student.protocol_broken_(owner, str(broken)) from None
        found = [v if isinstance(v, Tensor) else None for v in value] if isinstance(value, list) else []
        self._student.log_.append(Answered(f"{owner} (gradients)", found))
        return found


class _AcrossTheWall(torch.autograd.Function):
    """Forward is one question, backward another."""

    @staticmethod
    def forward(ctx: Any, asked: GoesBothWays, box: list[Answer], shapes: Any, *leaves: Tensor) -> Any:
        answer = asked.forward()
        box.append(answer)
        ctx.asked, ctx.count = asked, len(leaves)
        ctx.shapes = [leaf.shape for leaf in leaves]
        ctx.dtypes = [leaf.dtype for leaf in leaves]
        ctx.mark_non_differentiable(*[t for t, g in zip(answer.tensors, answer.with_grad, strict=True) if not g])
        ctx.set_materialize_grads(False)
        return tuple(answer.tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        found = ctx.asked.backward(grads)[: ctx.count]
        found += [None] * (ctx.count - len(found))
        fitting = [
            g if g is not None and g.shape == shape and g.dtype == dtype else None
            for g, shape, dtype in zip(found, ctx.shapes, ctx.dtypes, strict=True)
        ]
        return (None, None, None, *fitting)


def differentiable(asked: GoesBothWays, leaves: Sequence[Tensor]) -> Any:
    """The value of a call with its tensors tied into our graph."""
    box: list[Answer] = []
    root = list(leaves) or [torch.zeros((), requires_grad=True)]  # a module's own parameters stay in the worker
    outputs = _AcrossTheWall.apply(asked, box, None, *root)  # type: ignore[no-untyped-call]
    answer = box[0]
    tied = {id(raw): out for raw, out in zip(answer.tensors, outputs, strict=True)}
    return _tied(answer.value, tied)


def _tied(value: Any, tied: dict[int, Tensor]) -> Any:
    if isinstance(value, Tensor):
        return tied.get(id(value), value)
    if isinstance(value, tuple | list):
        return type(value)(_tied(item, tied) for item in value)
    if isinstance(value, dict):
        return {key: _tied(item, tied) for key, item in value.items()}
    return value
