"""Objects of the student's that stay in the worker, and how they travel as arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.errors import CheckFailed, WorkerDied
from grader.model.course import Text
from grader.rpc.values import Handle, ProtocolError
from grader.student.calls import Call
from grader.student.questions import Held

if TYPE_CHECKING:
    from grader.student.proxy import Student


class StudentObject(Held):
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
        answer = self._do("load", {"values": {name: value.detach() for name, value in values.items()}})
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
        found = value if isinstance(value, dict) else {}
        return {str(k): v if isinstance(v, Tensor) else None for k, v in found.items()}

    def drop_(self) -> None:
        self._do("drop")

    @property
    def handle_(self) -> Handle:
        return self._handle

    def _call(self, method: str, args: Sequence[Any], named: dict[str, Any], watch: bool = False) -> Call:
        self._refuse_stale()
        target = {"object": self._handle.id, "method": method}
        return self._student.call_(target, args, named, owner=self._owner, watch=watch, graph=True)

    def _do(self, what: str, more: dict[str, Any] | None = None) -> Any:
        self._refuse_stale()
        question = self._student.questions_.about_object(self._owner, self._handle.id, what, more or {})
        frame = self._student.ask_(question)
        try:
            return frame.decoder().decode(frame.header.get("reply"))
        except ProtocolError as broken:
            raise self._student.protocol_broken_(self._owner, str(broken)) from None

    def _refuse_stale(self) -> None:
        if self._generation != self._student.generation_:
            raise WorkerDied(self._owner, "its process had ended in an earlier step of this check")
