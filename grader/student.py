"""The proxy that checks talk to: a student's functions and classes, answered with plain values.

``student.attention_scores(q, k)`` asks the worker and returns what came back. Where an argument requires
grad on our side, so does the result: its backward is a second question to the same worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import torch
from torch import Tensor

from grader.errors import (
    CheckFailed,
    StudentMissing,
    StudentOutOfMemory,
    StudentRaised,
    StudentStub,
    StudentTimedOut,
    WorkerDied,
)
from grader.loading import Loaded, Loading
from grader.model import Assignment, Limits, Output, Place, Text
from grader.places import read_place
from grader.rpc.frames import Frame
from grader.rpc.values import Encoder, Handle, Opaque, ProtocolError
from grader.sandbox import Session, SessionEnded, SessionTimedOut

__all__ = ["Call", "Opaque", "Student", "StudentObject"]

_STRIKES: Final = 2  # a function that timed out this often is not called again


@dataclass(frozen=True, slots=True)
class Call:
    """A watched call: its value, and its arguments as they were afterwards."""

    value: Any
    inputs: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)


class Student:
    """One submission in its worker. Attributes are the contract's names; everything else ends with ``_``."""

    def __init__(self, loading: Loading, assignment: Assignment) -> None:
        self._limits: Limits = assignment.limits
        self._loading = loading
        self._session: Session | None = None
        self._loaded: Loaded | None = None
        self._generation = 0
        self._strikes: dict[str, int] = {}
        self._ends = time.monotonic() + self._limits.submission_s
        self._outputs: list[Output] = []
        self._names = {required.name for required in assignment.functions}
        self.last_called_: str | None = None

    # -- what checks use ------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"{name!r} is not in the contract of this assignment")

        def ask(*args: Any, **named: Any) -> Any:
            return self.call_({"name": name}, args, named, owner=name, hold=name[0].isupper()).value

        return ask

    def watch(self, name: str, *args: Any, **named: Any) -> Call:
        """Call a function and look at its arguments afterwards."""
        return self.call_({"name": name}, args, named, owner=name, watch=True)

    def seed(self, number: int) -> None:
        """Seed torch, NumPy and random in the worker."""
        self.ask_({"op": "seed", "seed": number}, None, "seed")

    # -- what the machinery uses ----------------------------------------------------------------

    def load_(self) -> Loaded:
        """Load the student's code (again, in a fresh worker, where the last one is gone)."""
        if self._session is None:
            self._generation += 1
            self._session, self._loaded = self._loading.run()
        assert self._loaded is not None
        return self._loaded

    @property
    def generation_(self) -> int:
        return self._generation

    @property
    def output_(self) -> Output:
        """What the student's code printed, over all its workers."""
        outputs = [*self._outputs, *([self._session.output()] if self._session else [])]
        return Output(
            "".join(o.stdout for o in outputs)[: 2 * self._limits.output_kib << 10],
            "".join(o.stderr for o in outputs)[: 2 * self._limits.output_kib << 10],
            any(o.truncated for o in outputs),
        )

    def close_(self) -> None:
        self._drop_session()

    def place_of_(self, name: str | None) -> Place | None:
        found = self._loaded.definition(name) if self._loaded and name else None
        return found.place if found else None

    def call_(
        self,
        target: dict[str, Any],
        args: Sequence[Any],
        named: dict[str, Any],
        *,
        owner: str,
        watch: bool = False,
        hold: bool = False,
        graph: bool = False,
    ) -> Call:
        """One call across the wall; see the module docstring for gradients."""
        self.last_called_ = owner
        self._refuse_missing(owner)
        encoder = Encoder()
        body = {
            "op": "call",
            **target,
            "args": {"t": [encoder.encode(_handled(a)) for a in args]},
            "kwargs": {"d": [[key, encoder.encode(_handled(value))] for key, value in named.items()]},
            "watch": watch,
            "hold": hold,
        }
        leaves = [t for t in encoder.tensors if t.requires_grad]
        body["graph"] = graph or bool(leaves)
        asked = _Asked(self, body, encoder, owner)
        if body["graph"] and torch.is_grad_enabled():
            value = _differentiable(asked, leaves)
        else:
            value = asked.forward().value
        if hold:
            if not isinstance(value, Handle):
                raise WorkerDied(owner, "the answer was no object")
            value = StudentObject(self, value, owner, self._generation)
        return Call(value, asked.after[0], asked.after[1])

    def ask_(self, header: dict[str, Any], encoder: Encoder | None, owner: str) -> Frame:
        """One question under its limit; every way it can end without a value is an exception."""
        if self._strikes.get(owner, 0) >= _STRIKES:
            raise StudentTimedOut(owner, self._limits.call_s, self.place_of_(owner))
        self.load_()
        assert self._session is not None
        limit = self._limits.call_again_s if self._strikes.get(owner) else self._limits.call_s
        left = self._ends - time.monotonic()
        if left <= 0:
            raise StudentTimedOut(owner, self._limits.submission_s, self.place_of_(owner))
        try:
            frame = self._session.ask(header, encoder, min(limit, left))
        except SessionTimedOut:
            self._strikes[owner] = self._strikes.get(owner, 0) + 1
            self._drop_session()
            raise StudentTimedOut(owner, min(limit, left), self.place_of_(owner)) from None
        except SessionEnded as ended:
            self._drop_session()
            raise WorkerDied(owner, ended.how, self.place_of_(owner)) from None
        if "raised" in frame.header:
            raise self._raised(frame.header["raised"], owner)
        return frame

    def protocol_broken_(self, owner: str, why: str) -> WorkerDied:
        self._drop_session()
        return WorkerDied(owner, f"it broke the protocol: {why}", self.place_of_(owner))

    def _refuse_missing(self, name: str) -> None:
        found = self.load_().definition(name)
        if found is None or found.state == "present":
            return
        if found.state == "stub":
            raise StudentStub(name, "still the untouched stub", found.place)
        raise StudentMissing(name, found.note.en if found.note else "not defined", found.place)

    def _raised(self, facts: Any, owner: str) -> Exception:
        kinds, message, place, innermost, memory = _facts(facts)
        if memory:
            return StudentOutOfMemory(owner, message, place or self.place_of_(owner))
        if "NotImplementedError" in kinds and innermost:
            return StudentStub(owner, message, place)
        return StudentRaised(owner, kinds, message, place)

    def _drop_session(self) -> None:
        if self._session is not None:
            self._session.close()
            self._outputs.append(self._session.output())
            self._session = None


class StudentObject:
    """An object of the student's that stays in the worker: a module, a cache."""

    def __init__(self, student: Student, handle: Handle, owner: str, generation: int) -> None:
        self._student, self._handle, self._owner, self._generation = student, handle, owner, generation

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._call("__call__", args, named).value

    def __len__(self) -> int:
        value = self._call("__len__", (), {}).value
        if type(value) is not int or value < 0:
            raise CheckFailed(Text(en=f"len({self._owner}) is not a whole number", zh=f"len({self._owner}) 不是整数"))
        return value

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method.startswith("_"):
            raise AttributeError(method)
        return lambda *args, **named: self._call(method, args, named).value

    def watch(self, *args: Any, **named: Any) -> Call:
        """Call the object and look at the arguments afterwards."""
        return self._call("__call__", args, named, watch=True)

    def parameters_(self) -> dict[str, Tensor]:
        """The parameters by name, as copies."""
        value = self._do("parameters")
        return {str(k): v for k, v in value.items() if isinstance(v, Tensor)} if isinstance(value, dict) else {}

    def load_(self, values: dict[str, Tensor]) -> None:
        """Copy values into the parameters of these names. Raises ``CheckFailed`` where one does not fit."""
        encoder = Encoder()
        tree = encoder.encode({name: value.detach() for name, value in values.items()})
        answer = self._do("load", {"values": tree}, encoder)
        absent = list(answer.get("absent", [])) if isinstance(answer, dict) else []
        differing = dict(answer.get("differing", {})) if isinstance(answer, dict) else {}
        if absent:
            raise CheckFailed(
                Text(
                    en=f"{self._owner} has no parameter named {absent[0]}",
                    zh=f"{self._owner} 没有名为 {absent[0]} 的参数",
                )
            )
        for name, shape in differing.items():
            want = list(values[name].shape) if name in values else []
            raise CheckFailed(
                Text(
                    en=f"the parameter {name} has shape {shape}, expected {want}",
                    zh=f"参数 {name} 的形状是 {shape}，应当是 {want}",
                )
            )

    def train_(self) -> None:
        self._do("train")

    def eval_(self) -> None:
        self._do("eval")

    def to_(self, dtype: torch.dtype) -> None:
        self._do("to", {"dtype": str(dtype)[6:]})

    def zero_grad_(self) -> None:
        self._do("zero_grad")

    def grads_(self) -> dict[str, Tensor | None]:
        """The parameters' gradients after a backward through a result of this object."""
        value = self._do("grads")
        return {str(k): v if isinstance(v, Tensor) else None for k, v in value.items()} if isinstance(value, dict) else {}

    def drop_(self) -> None:
        self._do("drop")

    @property
    def handle_(self) -> Handle:
        return self._handle

    def _call(self, method: str, args: Sequence[Any], named: dict[str, Any], watch: bool = False) -> Call:
        self._refuse_stale()
        target = {"object": self._handle.id, "method": method}
        return self._student.call_(target, args, named, owner=self._owner, watch=watch, graph=True)

    def _do(self, what: str, more: dict[str, Any] | None = None, encoder: Encoder | None = None) -> Any:
        self._refuse_stale()
        header = {"op": "object", "object": self._handle.id, "do": what, **(more or {})}
        frame = self._student.ask_(header, encoder, self._owner)
        try:
            return frame.decoder().decode(frame.header.get("reply"))
        except ProtocolError as broken:
            raise self._student.protocol_broken_(self._owner, str(broken)) from None

    def _refuse_stale(self) -> None:
        if self._generation != self._student.generation_:
            raise WorkerDied(self._owner, "its process had ended in an earlier step of this check")


@dataclass(slots=True)
class _Answer:
    value: Any
    tensors: list[Tensor]
    with_grad: list[bool]


class _Asked:
    """One call that was sent, and what is needed to go back through it."""

    def __init__(self, student: Student, body: dict[str, Any], encoder: Encoder, owner: str) -> None:
        self._student, self._body, self._encoder, self._owner = student, body, encoder, owner
        self._generation = 0
        self._number = 0
        self.after: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})

    def forward(self) -> _Answer:
        frame = self._student.ask_(self._body, self._encoder, self._owner)
        self._generation = self._student.generation_
        self._number = frame.header["n"]
        try:
            decoder = frame.decoder()
            value = decoder.decode(frame.header.get("reply"))
            order = sorted(decoder.tensors)
            answer = _Answer(value, [decoder.tensors[i] for i in order], [i in decoder.with_grad for i in order])
            if "after" in frame.header:
                args, named = decoder.decode(frame.header["after"])
                self.after = (tuple(args), dict(named))
            return answer
        except (ProtocolError, TypeError, ValueError) as broken:
            raise self._student.protocol_broken_(self._owner, str(broken)) from None

    def backward(self, grads: Sequence[Tensor | None]) -> list[Tensor | None]:
        if self._generation != self._student.generation_:
            raise WorkerDied(self._owner, "its process ended before the gradients were asked for")
        encoder = Encoder()
        body = {"op": "backward", "call": self._number, "grads": encoder.encode(list(grads))}
        frame = self._student.ask_(body, encoder, self._owner)
        try:
            value = frame.decoder().decode(frame.header.get("reply"))
        except ProtocolError as broken:
            raise self._student.protocol_broken_(self._owner, str(broken)) from None
        return [v if isinstance(v, Tensor) else None for v in value] if isinstance(value, list) else []


class _AcrossTheWall(torch.autograd.Function):
    """Forward is one question, backward another."""

    @staticmethod
    def forward(ctx: Any, asked: _Asked, box: list[_Answer], shapes: Any, *leaves: Tensor) -> Any:
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


def _differentiable(asked: _Asked, leaves: list[Tensor]) -> Any:
    """The value of a call with its tensors tied into our graph."""
    box: list[_Answer] = []
    root = leaves or [torch.zeros((), requires_grad=True)]  # a module's own parameters stay in the worker
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


def _handled(value: Any) -> Any:
    """Proxies inside arguments become handles."""
    if isinstance(value, StudentObject):
        return value.handle_
    if isinstance(value, tuple | list):
        return type(value)(_handled(item) for item in value)
    if isinstance(value, dict):
        return {key: _handled(item) for key, item in value.items()}
    return value


def _facts(facts: Any) -> tuple[tuple[str, ...], str, Place | None, bool, bool]:
    """An exception report, read as the hostile input it is."""
    if not isinstance(facts, dict):
        return ("Exception",), "", None, False, False
    raw = facts.get("kinds")
    kinds = tuple(k[:60] for k in raw[:8] if isinstance(k, str) and k.isidentifier()) if isinstance(raw, list) else ()
    message = facts.get("message")
    return (
        kinds or ("Exception",),
        message[:600] if isinstance(message, str) else "",
        read_place(facts.get("place")),
        facts.get("innermost_own") is True,
        facts.get("memory") is True,
    )
