"""A progress bar that shows nothing, where its package is not installed: what it goes over is all that counts."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from grader.worker.standins import stand_in

_PACKAGE = "tqdm"
_PARTS = ("", ".auto", ".autonotebook", ".notebook", ".std")


class Progress:
    """Goes over what it was given; everything else that a bar can do does nothing."""

    def __init__(self, iterable: Iterable[Any] | None = None, *args: object, **kwargs: object) -> None:
        self.iterable = () if iterable is None else iterable

    def __iter__(self) -> Iterator[Any]:
        return iter(self.iterable)

    def __len__(self) -> int:
        return len(self.iterable)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    @staticmethod
    def write(text: object, *args: object, **kwargs: object) -> None:
        """Asked of the class: print past the bar."""
        print(text)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing


def progress_range(*ends: int, **kwargs: object) -> Progress:
    """The bar over a ``range``."""
    return Progress(range(*ends))


def furnish_progress(beside: Collection[str]) -> None:
    """Let the bar be imported; ``beside`` are the modules that the student brings."""
    if _PACKAGE in beside or _PACKAGE in sys.modules or importlib.util.find_spec(_PACKAGE) is not None:
        return
    names = {"tqdm": Progress, "trange": progress_range, "tqdm_notebook": Progress, "tnrange": progress_range}
    for part in _PARTS:
        module = stand_in(_PACKAGE + part)
        module.__dict__.update(names, __path__=[])
        sys.modules[module.__name__] = module
        if part:
            setattr(sys.modules[_PACKAGE], part[1:], module)


def _nothing(*args: object, **kwargs: object) -> None:
    """What every method of the bar does."""
