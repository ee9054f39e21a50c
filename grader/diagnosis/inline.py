"""A student in our own process, for code we wrote ourselves: the solution, and the solution with mistakes in it.

Speaks as the proxy does, so that the same checks run on it and leave the same log.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from grader.diagnosis.untouched import Made
from grader.errors import CheckFailed, StudentRaised
from grader.model.course import Text
from grader.rpc.values import Encoder, Handle, Opaque
from grader.student import Call
from grader.student.gradients import Answer, differentiable
from grader.student.log import Answered, Raised, answered
from grader.student.questions import Held, Question, Questions

_SIMPLE: Final = (bool, int, float, str)
_ROWS: Final = (tuple, list)
_WHOLE: Final = (Tensor, np.ndarray, np.generic, *_SIMPLE)


class InlineStudent:
    """The functions and classes of a module, called directly on copies of their arguments.

    With ``noting``, ``asked_`` gathers what a worker would be asked in the current test. Into ``made_``, where it is a
    list, go its calls: it is None once one asked for gradients, for an object, or after its arguments.
    """

    def __init__(
        self, module: ModuleType, rebound: Mapping[str, Callable[..., Any]] | None = None, noting: bool = False
    ) -> None:
        self._module = module
        self.last_called_: str | None = None
        self.log_: list[Answered] = []
        self.asked_: list[Question] = []
        self.made_: list[Made] | None = None
        self._questions = Questions()
        self._noting = noting
        self._rebound = dict(rebound or {})
        vars(module).update(self._rebound)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._rebound:
            return self._rebound[name]
        thing = getattr(self._module, name)
        if not inspect.isclass(thing):
            return lambda *args, **named: self.call_(name, {"name": name}, thing, args, named).value
        return lambda *args, **named: self._made(name, thing, args, named)

    def _made(self, name: str, cls: type, args: tuple[Any, ...], named: dict[str, Any]) -> InlineObject:
        made = self.call_(name, {"name": name}, cls, args, named, hold=True).value
        return InlineObject(self, made, name, self.asked_[-1].label if self._noting else 0)

    def watch(self, name: str, *args: Any, **named: Any) -> Call:
        return self.call_(name, {"name": name}, getattr(self._module, name), args, named, watch=True)

    def seed(self, number: int) -> None:
        self.note_(lambda questions: questions.seed(number))
        torch.manual_seed(number)
        np.random.seed(number % (1 << 32))
        random.seed(number)

    def begin_(self, tests: Sequence[tuple[int, str]]) -> None:
        """The first of these tests is on."""
        self.last_called_, self.log_, self.asked_ = None, [], []
        self._questions.begin(tests[0][0])

    def note_(self, write: Callable[[Questions], Question]) -> Question | None:
        """Gather a question, where anybody wants it."""
        if not self._noting:
            return None
        question = write(self._questions)
        self.asked_.append(question)
        return question

    def place_of_(self, name: str | None) -> None:
        return None

    def call_(
        self,
        name: str,
        target: Mapping[str, Any],
        thing: Callable[..., Any],
        args: tuple[Any, ...],
        named: dict[str, Any],
        watch: bool = False,
        hold: bool = False,
        graph: bool = False,
    ) -> Call:
        """One call on copies; what it raises becomes what a student's exception becomes."""
        self.last_called_ = name
        noted = self.note_(lambda q: q.call(name, target, args, named, watch=watch, hold=hold, graph=graph))
        asked = LocalCall(self, name, thing, args, named, noted.label if noted else 0, watch)
        try:
            if torch.is_grad_enabled() and not hold and (graph or asked.leaves):
                value = differentiable(asked, asked.leaves)
            else:
                value = asked.forward().value
        except StudentRaised as error:  # from a function of the student's that is called in here
            self.log_.append(Answered(name, Raised(error.kind)))
            raise
        except CheckFailed:
            raise
        except Exception as error:
            kinds = tuple(cls.__name__ for cls in type(error).__mro__ if cls not in (object, BaseException))
            self.log_.append(Answered(name, Raised(kinds[0])))
            raise StudentRaised(name, kinds, str(error), None) from error
        if self.made_ is not None:
            self.made_.append(Made(name, copied(args), copied(named), value))
            if watch or hold or graph or asked.leaves:
                self.made_ = None
        after = (*asked.after[0], *asked.after[1].values()) if watch else ()
        self.log_.append(answered(name, Handle(0) if hold else value, (*args, *named.values()), after))
        return Call(value, *asked.after)


class LocalCall:
    """What ``rpc`` does over the wall, done here: leaves cut off from the caller's graph, results as plain values."""

    def __init__(
        self,
        student: InlineStudent,
        name: str,
        thing: Callable[..., Any],
        args: tuple[Any, ...],
        named: dict[str, Any],
        label: int,
        watched: bool,
    ) -> None:
        self._student, self._name, self._thing, self._args, self._named = student, name, thing, args, named
        self._label, self._watched = label, watched
        self.leaves = [tensor for tensor in _tensors((args, named)) if tensor.requires_grad]
        self._own: list[Tensor] = []
        self._outputs: list[Tensor] = []
        self.after: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})

    def forward(self) -> Answer:
        """Call, with leaves of its own."""
        self._own = []
        with torch.enable_grad():
            args, named = _mapped((self._args, self._named), self._stand_in)
            with np.errstate(all="ignore"):  # code on our side may be given a student's infinities
                raw = self._thing(*args, **named)
        if self._watched:
            self.after = _mapped((args, named), lambda t: t.detach().clone())
        if isinstance(raw, torch.nn.Module):
            return Answer(raw, [], [])
        self._outputs = []
        value = _mapped(_plain(raw), self._give)
        return Answer(value, list(_tensors(value)), [t.requires_grad for t in self._outputs])

    def _stand_in(self, tensor: Tensor) -> Tensor:
        if not tensor.requires_grad:
            return tensor.clone()
        leaf = tensor.detach().clone().requires_grad_()
        self._own.append(leaf)
        return leaf.clone()

    def _give(self, tensor: Tensor) -> Tensor:
        self._outputs.append(tensor)
        return tensor.detach().clone()

    def backward(self, grads: Sequence[Tensor | None]) -> list[Tensor | None]:
        """Back to the own leaves, and into the parameters of the module that was called."""
        self._student.note_(lambda questions: questions.backward(self._name, self._label, grads))
        pairs = [(o, g) for o, g in zip(self._outputs, grads, strict=True) if g is not None and o.requires_grad]
        for leaf in self._own:
            leaf.grad = None
        try:
            if pairs:
                with torch.enable_grad():  # we are inside a way back, where nothing is noted
                    ends = [(o * g).sum() for o, g in pairs]
                torch.autograd.backward(ends, retain_graph=True)
        except RuntimeError as error:
            raise StudentRaised(self._name, ("RuntimeError",), str(error), None) from error
        found = [leaf.grad for leaf in self._own]
        self._student.log_.append(Answered(f"{self._name} (gradients)", found))
        return found


class InlineObject(Held):
    """An object of the module's classes, with the proxy's words."""

    def __init__(self, student: InlineStudent, held: Any, owner: str, label: int) -> None:
        self._student, self._held, self._owner, self._label = student, held, owner, label

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._call("__call__", args, named).value

    def __len__(self) -> int:
        return int(self._call("__len__", (), {}).value)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method.startswith("_"):
            raise AttributeError(method)
        return lambda *args, **named: self._call(method, args, named).value

    def watch(self, *args: Any, **named: Any) -> Call:
        return self._call("__call__", args, named, watch=True)

    def _call(self, method: str, args: tuple[Any, ...], named: dict[str, Any], watch: bool = False) -> Call:
        thing = self._held if method == "__call__" else getattr(self._held, method)
        target = {"object": self._label, "method": method}
        return self._student.call_(self._owner, target, thing, args, named, watch=watch, graph=True)

    def _note(self, what: str, more: Mapping[str, Any] | None = None) -> None:
        self._student.note_(lambda questions: questions.about_object(self._owner, self._label, what, more or {}))

    @property
    def inside_(self) -> Any:
        return self._held

    @property
    def handle_(self) -> Handle:
        return Handle(self._label)

    def parameters_(self) -> dict[str, Tensor]:
        self._note("parameters")
        return {name: p.detach().clone() for name, p in self._held.named_parameters()}

    def load_(self, values: dict[str, Tensor]) -> None:
        self._note("load", {"values": {name: value.detach() for name, value in values.items()}})
        own = dict(self._held.named_parameters())
        for name, value in values.items():
            if name not in own or own[name].shape != value.shape:
                raise CheckFailed(Text(en=f"the parameter {name} is absent or has another shape"))
        with torch.no_grad():
            for name, value in values.items():
                own[name].copy_(value)

    def train_(self) -> None:
        self._note("train")
        self._held.train()

    def eval_(self) -> None:
        self._note("eval")
        self._held.eval()

    def to_(self, dtype: torch.dtype) -> None:
        self._note("to", {"dtype": str(dtype)[6:]})
        self._held.to(dtype)

    def zero_grad_(self) -> None:
        self._note("zero_grad")
        for parameter in self._held.parameters():
            parameter.grad = None

    def grads_(self) -> dict[str, Tensor | None]:
        self._note("grads")
        return {name: p.grad for name, p in self._held.named_parameters()}

    def drop_(self) -> None:
        self._note("drop")


def copied(value: Any) -> Any:
    """Of tensors and arrays, at any depth."""
    return _mapped(value, Tensor.clone)


def _mapped(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """A copy of a value with ``change`` applied to its tensors, in order; proxies become what they stand for."""
    if isinstance(value, Tensor):
        return change(value)
    if value is None or isinstance(value, _SIMPLE):
        return value
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, _ROWS):
        return type(value)([_mapped(item, change) for item in value])
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    return value.inside_ if isinstance(value, InlineObject) else value


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        yield from _tensors(tuple(value.values()))
    elif isinstance(value, _ROWS):
        for item in value:
            yield from _tensors(item)


def _plain(value: Any) -> Any:
    """What the wall would make of a value: named tuples are tuples, what has no plain form is opaque."""
    if value is None or isinstance(value, _WHOLE):
        return value
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, torch.nn.Module):
        return value
    shown = Encoder().encode(value)
    return Opaque(str(shown.get("o", "")) if isinstance(shown, dict) else "")
