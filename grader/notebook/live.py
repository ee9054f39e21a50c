"""Runs the public checks on functions that live in this very process: a notebook's kernel, or a student's own run."""

from __future__ import annotations

import contextlib
import io
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType, TracebackType
from typing import Any, NoReturn

import numpy as np
import torch

from grader.checks.collected import Test
from grader.checks.examination import examine
from grader.diagnosis.inline import InlineStudent
from grader.errors import StudentMissing, StudentOutOfMemory, StudentRaised, StudentStub, WorkerDied
from grader.model.course import PUBLIC_SEED, Text
from grader.model.report import TestResult
from grader.model.submission import Definition, Place
from grader.student import Call

PlaceOfError = Callable[[TracebackType | None], Place | None]
_MEMORY = frozenset({"MemoryError", "OutOfMemoryError"})
_NO_MEMORY = ("can't allocate memory", "not enough memory")  # torch says it so, in a RuntimeError


class LiveStudent(InlineStudent):
    """The functions and classes of a namespace; what is missing or still the stub is told as after a hand-in."""

    def __init__(
        self, things: Mapping[str, Any], definitions: Sequence[Definition], place_of_error: PlaceOfError
    ) -> None:
        module = ModuleType("live")
        vars(module).update(things)
        super().__init__(module)
        self._definitions = {definition.name: definition for definition in definitions}
        self._place_of_error = place_of_error

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in self.__dict__.get("_definitions", ()):
            self._refuse(name)
        return super().__getattr__(name)

    def watch(self, name: str, *args: Any, **named: Any) -> Call:
        self._refuse(name)
        return super().watch(name, *args, **named)

    def place_of_(self, name: str | None) -> Place | None:  # type: ignore[override]
        found = self._definitions.get(name or "")
        return found.place if found else None

    def call_(self, name: str, *rest: Any, **more: Any) -> Call:
        try:
            return super().call_(name, *rest, **more)
        except StudentRaised as raised:
            raise self._told(raised) from raised
        except SystemExit as end:
            raise WorkerDied(name, "it ended the program", self._spot(name, end)) from end

    def _refuse(self, name: str) -> None:
        found = self._definitions.get(name)
        if found is None or found.state == "present":
            return
        self.last_called_ = name
        if found.state == "stub":
            raise StudentStub(name, "still the untouched stub", found.place)
        raise StudentMissing(name, found.note or _not_callable(name))

    def _told(self, raised: StudentRaised) -> Exception:
        name, kinds = raised.function, raised.kinds
        spot = raised.place or self._spot(name, raised.__cause__)
        if _MEMORY & set(kinds) or ("RuntimeError" in kinds and any(said in raised.message for said in _NO_MEMORY)):
            return StudentOutOfMemory(name, raised.message, spot)
        if "NotImplementedError" in kinds and spot is not None:
            return StudentStub(name, raised.message, spot)
        return StudentRaised(name, kinds, raised.message, spot)

    def _spot(self, name: str, error: BaseException | None) -> Place | None:
        return self._place_of_error(error.__traceback__ if error else None) or self.place_of_(name)


def run(tests: Sequence[Test], student: LiveStudent) -> tuple[TestResult, ...]:
    """Every public check once. The process is afterwards as it was: random state, default dtype, what was printed."""
    with (
        _as_it_was(),
        no_sudden_end(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        return examine(tests, student, None, PUBLIC_SEED, "public").results


@contextlib.contextmanager
def no_sudden_end() -> Iterator[None]:
    """While code of a student's runs beside ours, ``os._exit`` is an exception: it would take the notebook with it."""

    def end(status: int = 0) -> NoReturn:
        raise SystemExit(status)

    real, os._exit = os._exit, end
    try:
        yield
    finally:
        os._exit = real


@contextlib.contextmanager
def _as_it_was() -> Iterator[None]:
    """The settings that checks rely on; the student's own come back afterwards."""
    numbers, drawn, dtype = np.random.get_state(), random.getstate(), torch.get_default_dtype()
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        try:
            torch.set_default_dtype(torch.float32)
            yield
        finally:
            torch.set_default_dtype(dtype)
            np.random.set_state(numbers)
            random.setstate(drawn)


def _not_callable(name: str) -> Text:
    return Text(en=f"{name} is there, but it cannot be called", zh=f"{name} 存在，但不能被调用")
