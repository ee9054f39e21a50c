"""The worker's loop: one question, one answer, in plain values. Holds no expected value and no verdict."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, TextIO

import numpy as np
import torch

from grader.rpc.frames import Frame, FrameReader, numbered, pack, read_frame, write_all
from grader.rpc.values import Encoder
from grader.worker import forbidden_calls, given_code, loader
from grader.worker.calls import Calls
from grader.worker.library_use import uses
from grader.worker.objects import Objects
from grader.worker.settings import Settings
from grader.worker.sightings import Listener, Sightings

_QUESTION_CAP = 64 << 20
_MESSAGE_CAP = 600


@dataclass(frozen=True, slots=True)
class Plain:
    """An answer that is a JSON tree already."""

    tree: dict[str, Any]


class Worker:
    """Answers questions about one submission."""

    def __init__(self, send: Callable[[bytes], None], streams: Sequence[TextIO]) -> None:
        self._send = send
        self._streams = streams  # our own: the student may put anything into sys.stdout
        self._asked = 0
        self._place_of_error: Callable[[TracebackType | None], Mapping[str, Any] | None] = lambda trace: None
        self._place_of: Callable[[str, int], Any] = lambda file, line: None
        self._sightings = Sightings()
        self._objects = Objects()
        self._calls = Calls(self._objects)
        self._operations: Mapping[str, Callable[[Frame], Any]] = {
            "load": self._load,
            "call": self._calls.call,
            "backward": self._calls.backward,
            "object": self._objects.operate,
            "seed": self._seed,
            "sightings": self._tell_sightings,
        }

    def answer(self, frame: Frame) -> None:
        """One question, one answer; whatever the student's code raises becomes part of the answer."""
        self._asked = frame.number
        encoder = Encoder()
        try:
            result = self._operations[frame.header["op"]](frame)
            body = {"reply": result.tree} if isinstance(result, Plain) else self._calls.reply(result, encoder)
        except BaseException as raised:  # SystemExit and KeyboardInterrupt are answers, too
            encoder = Encoder()
            body = {"raised": self._describe(type(raised), sys.exc_info()[2], _message(raised))}
        for stream in self._streams:
            with contextlib.suppress(Exception):
                stream.flush()
        self._say(body, encoder)

    def _say(self, body: dict[str, Any], encoder: Encoder | None = None) -> None:
        self._send(numbered(self._asked, pack(body, encoder)))

    def _load(self, frame: Frame) -> Any:
        question = frame.header

        forbidden_calls.watch(question["forbidden"], self._sightings)
        sys.addaudithook(Listener(self._sightings))

        settings = Settings()

        def announce(index: int, place: Mapping[str, Any]) -> None:
            settings.before(place)
            self._say({"event": "statement", "index": index, **place})

        loaded = loader.load(
            question["chunks"],
            question["modules"],
            question["module_name"],
            question["required"],
            {int(number): why for number, why in question["skip"].items()},
            announce,
            question.get("definitions_alone") is True,
        )
        settings.before(None)
        loaded = replace(loaded, remarks=[*loaded.remarks, *settings.remarks()])
        self._place_of_error = loaded.place_of_error
        self._place_of = loaded.place_of
        self._calls.namespace = loaded.namespace
        answer = load_answer(loaded, question["forbidden"], question["required"])
        return Plain({**answer, "sightings": self._sightings.tell(loaded.place_of)})

    def _tell_sightings(self, frame: Frame) -> Any:
        return Plain({"sightings": self._sightings.tell(self._place_of)})

    def _seed(self, frame: Frame) -> None:
        number = int(frame.header["seed"])
        torch.manual_seed(number)
        np.random.seed(number % (1 << 32))
        random.seed(number)

    def _describe(self, kind: type, trace: TracebackType | None, message: str) -> dict[str, Any]:
        """An exception as plain facts: class names, message, and the innermost line of the student's own.

        Asks the exception object nothing: its class may answer with more code of the student's.
        """
        kinds = [kind_name(cls) for cls in type.mro(kind) if cls not in (object, BaseException)]
        last = trace
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        return {
            "kinds": kinds[:8],
            "message": message,
            "place": self._place_of_error(trace),
            "innermost_own": last is not None and self._place_of_error(last) is not None,
            "memory": _is_memory(kind, message),
        }


def load_answer(loaded: loader.Loaded, forbidden: list[str], required: list[dict[str, Any]]) -> dict[str, Any]:
    """What a load found, as plain data."""
    found: list[dict[str, Any]] = []
    answer = loaded.summary()
    with contextlib.suppress(RecursionError, MemoryError):  # text nested without end earns no flag, and loses none
        for file, trees in loaded.trees.items():
            for name, line in uses(trees, forbidden):
                spot = loaded.place_of(file, line)
                found.append({"name": name, **(spot or {})})
        answer["flags"] = [*answer["flags"], *given_code.edits(loaded.trees, required, loaded.place_of)]
    return {**answer, "uses": found[:50]}


def kind_name(cls: type) -> str:
    """A class name as an identifier of at most 60 characters, however the class behaves."""
    name = type.__getattribute__(cls, "__name__")
    return "".join(c for c in name[:60] if c.isalnum() or c == "_") or "nameless"


def _message(raised: BaseException) -> str:
    try:
        return str.__str__(str(raised))[:_MESSAGE_CAP].encode("utf-8", "backslashreplace").decode()
    except BaseException:
        return ""


def _is_memory(kind: type, message: str) -> bool:
    if issubclass(kind, MemoryError):
        return True
    return issubclass(kind, RuntimeError) and ("can't allocate memory" in message or "not enough memory" in message)


def serve(question_fd: int, answer_fd: int) -> None:
    """Answer until the question pipe closes."""
    sys.stdout, sys.stderr = _line_buffered(1), _line_buffered(2)
    reader = FrameReader(_QUESTION_CAP)
    worker = Worker(lambda data: write_all(answer_fd, data), (sys.stdout, sys.stderr))
    while (frame := read_frame(question_fd, reader)) is not None:
        worker.answer(frame)


def _line_buffered(fd: int) -> TextIO:
    """A text stream that holds back at most a line: what was printed survives a kill."""
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
