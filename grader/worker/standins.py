"""Harmless stand-ins for what nobody can answer while grading: the keyboard, the debugger, the notebook."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Collection, Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NO_INPUT = "input() has nobody to answer it while grading; put the value into the code instead"


class NoInput(EOFError):
    """The code asked for the keyboard."""


def no_input(prompt: object = "", /) -> str:
    """What ``input`` is while grading: always raises ``NoInput``."""
    raise NoInput(NO_INPUT)


def no_breakpoint(*args: object, **kwargs: object) -> None:
    """What ``breakpoint()`` is while grading: nothing."""


class Silent:
    """Answers every attribute and every call with itself, and is false: libraries take it for "no notebook"."""

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[object]:
        return iter(())

    def __getitem__(self, key: object) -> Silent:
        return self

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __call__(self, *args: object, **kwargs: object) -> Silent:
        return self

    def __getattr__(self, name: str) -> Silent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __repr__(self) -> str:
        return "<the notebook's shell is not here while grading>"


def display(*objects: object, **kwargs: object) -> None:
    """What ``display`` is while grading: nothing."""


def get_ipython() -> Silent:
    """What ``get_ipython`` gives while grading."""
    return Silent()


NOTEBOOK_NAMES: tuple[str, ...] = ("display", "get_ipython")


def quiet_the_terminal(file: str) -> ModuleType:
    """Let ``input`` raise, ``breakpoint`` pass, and ``sys.argv`` hold the file alone.

    Gives the student's own copy of ``builtins``: what is patched there changes nothing for the worker's code.
    """
    own = ModuleType("builtins", builtins.__doc__)
    own.__dict__.update(builtins.__dict__)
    own.__dict__["input"] = no_input
    sys.modules["builtins"] = own
    sys.breakpointhook = no_breakpoint
    sys.argv = [file]
    return own


def stand_in(name: str) -> ModuleType:
    """An empty module that can be looked for as well (torch's compiler does), and lies nowhere."""
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None)
    return module


def furnish_notebook(namespace: dict[str, Any]) -> None:
    """Give a notebook its ``display`` and ``get_ipython``, also by import."""
    namespace["display"] = display
    namespace["get_ipython"] = get_ipython
    if "IPython" in sys.modules:
        return
    shell, shown = stand_in("IPython"), stand_in("IPython.display")
    for module in (shell, shown):
        module.__dict__.update(get_ipython=get_ipython, display=display, __getattr__=_anything, __path__=[])
        sys.modules[module.__name__] = module
    shell.__dict__["display"] = shown


def furnish_grader(beside: Collection[str]) -> None:
    """Let cells that call for a check pass and do nothing; ``beside`` are the modules that the student brings."""
    sys.modules["grader"].__dict__["check"] = Silent()
    if "check" not in beside:
        sys.modules["check"] = module = stand_in("check")
        module.__dict__["__getattr__"] = _anything


def _anything(name: str) -> Silent:
    if name.startswith("__"):
        raise AttributeError(name)
    return Silent()
