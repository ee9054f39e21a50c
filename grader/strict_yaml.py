"""YAML without surprises: plain data, and where every key and value stands.

Strings stay what they look like: ``no``, ``on``, ``012``, ``12:30`` and ``2026-01-31`` are text. Only
``true``/``false``, ``null``/``~``, decimal integers and decimal fractions are read as more than text, and only
where they are not quoted. Keys are always text. Duplicate keys, tags, anchors, aliases, merge keys, several
documents, deep nesting and large files are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from grader.errors import CourseError

Path = tuple[str | int, ...]  # the keys and indices that lead to a value

_MAX_BYTES = 512 << 10
_MAX_DEPTH = 20
_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
# No leading zero, and never so many digits that a number costs time or precision.
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FRACTION = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file, both counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """Plain data (dict, list, str, int, float, bool, None) and the position of each key and value."""

    data: Any
    keys: Mapping[Path, Position]
    values: Mapping[Path, Position]

    def position(self, path: Path, *, key: bool = False) -> Position:
        """Where ``path`` stands (its key, if asked and there is one), or the nearest thing above it."""
        if key and path in self.keys:
            return self.keys[path]
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, Position(1, 1))


def load(source: bytes, name: str) -> Loaded:
    """Read one YAML document. Raises ``CourseError`` with every ``name:line:column: problem`` found."""
    if len(source) > _MAX_BYTES:
        raise CourseError([f"{name}:1:1: the file is larger than {_MAX_BYTES >> 10} KiB"])
    text = _decoded(source, name)
    reading = _Reading(name)
    try:
        data = reading.document(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.YAMLError as bad:
        mark = getattr(bad, "problem_mark", None) or getattr(bad, "context_mark", None)
        position = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
        problem = " ".join(filter(None, (getattr(bad, "context", None), getattr(bad, "problem", None)))) or str(bad)
        raise CourseError([*reading.problems, f"{name}:{position}: {problem}"]) from bad
    if reading.problems:
        raise CourseError(reading.problems)
    return Loaded(data, reading.keys, reading.values)


def _decoded(source: bytes, name: str) -> str:
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        position = _end(source[: bad.start].decode("utf-8-sig", "replace"))
        raise CourseError([f"{name}:{position}: not UTF-8; save the file as UTF-8"]) from bad
    if odd := _NOT_YAML.search(text):
        raise CourseError([f"{name}:{_end(text[: odd.start()])}: a character that YAML does not allow: {odd[0]!r}"])
    return text


def _end(text: str) -> Position:
    """The position just after ``text``."""
    return Position(text.count("\n") + 1, len(text) - text.rfind("\n"))


class _Reading:
    """One pass over the parser's events."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.problems: list[str] = []
        self.keys: dict[Path, Position] = {}
        self.values: dict[Path, Position] = {}

    def document(self, events: Iterator[Any]) -> Any:
        """The value of the only document; None where the file is empty."""
        data, seen = None, 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                seen += 1
                if seen > 1:
                    self._refuse(event, "a second document; one file holds one")
                    return data
                data = self._value(next(events), events, ())
        return data

    def _value(self, event: Any, events: Iterator[Any], path: Path) -> Any:
        self.values[path] = _start(event)
        if isinstance(event, yaml.AliasEvent):
            self._refuse(event, "aliases (*name) are not used here; write the value out")
            return None
        if event.anchor is not None:
            self._refuse(event, "anchors (&name) are not used here; write the value out")
        if event.tag is not None:
            self._refuse(event, f"tags ({event.tag}) are not used here")
        if len(path) > _MAX_DEPTH:
            mark = event.start_mark
            raise yaml.MarkedYAMLError(problem=f"nested deeper than {_MAX_DEPTH} levels", problem_mark=mark)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, path)
        return _scalar(event)

    def _mapping(self, events: Iterator[Any], path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self._key(event, events, path)
            inside = (*path, key)
            if key in found:
                self._refuse(event, f"the key '{key}' stands here twice; first at line {self.keys[inside].line}")
                inside = (*path, f"{key} again at {_start(event)}")  # keeps the first one's positions
            self.keys[inside] = _start(event)
            value = self._value(next(events), events, inside)
            found.setdefault(key, value)
        return found

    def _key(self, event: Any, events: Iterator[Any], path: Path) -> str:
        if isinstance(event, yaml.ScalarEvent):
            if event.anchor is not None or event.tag is not None:
                self._refuse(event, "anchors and tags are not used here")
            if event.value == "<<" and event.implicit[0]:
                self._refuse(event, "merge keys (<<) are not used here; write the values out")
            return str(event.value)
        self._refuse(event, "a key has to be plain text")
        self._value(event, events, (*path, f"key at {_start(event)}"))
        return f"key at {_start(event)}"

    def _sequence(self, events: Iterator[Any], path: Path) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            found.append(self._value(event, events, (*path, len(found))))
        return found

    def _refuse(self, event: Any, problem: str) -> None:
        self.problems.append(f"{self._name}:{_start(event)}: {problem}")


def _start(event: Any) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


def _scalar(event: Any) -> str | int | float | bool | None:
    text = str(event.value)
    if not event.implicit[0]:  # quoted or a block: text
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FRACTION.fullmatch(text) else text
