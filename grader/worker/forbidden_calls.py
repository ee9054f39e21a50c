"""Notes which forbidden library functions really run, by standing in for them under their names.

What stands in does nothing but count and call: gradients, keyword arguments, subclasses and `torch.jit.script` go on
working. Only the outermost call counts: a library function that uses another forbidden one is one use.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType
from typing import Any, Final

from grader.worker.sightings import Sightings, own_line

KIND: Final = "forbidden_call"
# One function of PyTorch goes by several names; whoever uses another of them uses the same function.
_TWINS: Final = ("torch", "torch.nn.functional", "torch.special", "torch._C._nn", "torch.Tensor")


class Turnstile:
    """Counts calls on their way in; what happens inside of one is the library's own business."""

    def __init__(self, sightings: Sightings) -> None:
        self._sightings = sightings
        self._inside = 0

    def enter(self, name: str) -> None:
        self._inside += 1
        if self._inside == 1 and (at := own_line(sys._getframe(2))):
            self._sightings.note(KIND, name, at)

    def leave(self) -> None:
        self._inside -= 1


def watch(names: Iterable[str], sightings: Sightings) -> None:
    """Stand in for every function and class of these dotted names, as far as it is imported here."""
    turnstile = Turnstile(sightings)
    made: dict[int, Any] = {}
    standing_in: set[int] = set()
    for holder, attribute, name in _places(list(names)):
        original = getattr(holder, attribute)
        if isinstance(original, type):
            _watch_class(original, name, turnstile)
        elif callable(original) and id(original) not in standing_in:
            if id(original) not in made:
                made[id(original)] = _standing_in(original, name, turnstile)
                standing_in.add(id(made[id(original)]))
            setattr(holder, attribute, made[id(original)])


def _places(names: Sequence[str]) -> Iterator[tuple[Any, str, str]]:
    """Holder, attribute and the forbidden name it means: first every name's own place, then where its twins stand."""
    own = [(*name.rpartition(".")[::2], name) for name in names]
    twins = [(twin, last, name) for _, last, name in own if name.startswith("torch.") for twin in _TWINS]
    for path, last, name in (*own, *twins):
        holder = _found(path)
        if holder is not None and (last in vars(holder) or (path == "torch.Tensor" and hasattr(holder, last))):
            yield holder, last, name


def _found(path: str) -> Any:
    """The module or class of a dotted name, without importing anything."""
    head, _, rest = path.partition(".")
    holder: Any = sys.modules.get(head)
    for part in rest.split(".") if rest else ():
        holder = getattr(holder, part, None)
    return holder


def _watch_class(cls: type, name: str, turnstile: Turnstile) -> None:
    """Making one counts, and so does what a call of one runs; the class stays the class it is."""
    for method in ("__init__", "forward"):
        own = vars(cls).get(method)
        if isinstance(own, FunctionType) and not hasattr(own, "__grader_watched__"):
            made = _standing_in(own, name, turnstile)
            vars(made)["__grader_watched__"] = True
            setattr(cls, method, made)


def _standing_in(original: Any, name: str, turnstile: Turnstile) -> Any:
    enter, leave = turnstile.enter, turnstile.leave

    def standing_in(*args: Any, **named: Any) -> Any:
        enter(name)
        try:
            return original(*args, **named)
        finally:
            leave()

    made: Callable[..., Any] = standing_in
    if isinstance(original, FunctionType):
        # torch.jit.script reads the source of what is wrapped, and looks names up where that function lives.
        made = FunctionType(
            standing_in.__code__, original.__globals__, original.__name__, None, standing_in.__closure__
        )
    functools.update_wrapper(made, original)
    _tell_jit(original, made)
    return made


def _tell_jit(original: Any, made: Any) -> None:
    """Where PyTorch has already listed its built-in functions by identity, list the new one as the old."""
    listed = sys.modules.get("torch.jit._builtins")
    table = getattr(listed, "_builtin_table", None)
    if isinstance(table, dict) and id(original) in table:
        table[id(made)] = table[id(original)]
