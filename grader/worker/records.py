"""The plain records the loader takes and gives: dictionaries and text, ready for the wire."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypedDict

NAMES_CAP = 200  # names, inner names and signatures reported at most
REMARKS_CAP = 100
MESSAGE_CAP = 300  # characters of an exception's own message


class Spot(TypedDict):
    """A line of the student's own text; ``cell`` is set for notebooks, ``line`` may be unknown."""

    file: str
    line: int | None
    cell: int | None


class DefinitionRecord(TypedDict):
    """What stands under a required name. ``state``: present, missing, stub or not_callable."""

    name: str
    state: str
    file: str | None
    line: int | None
    cell: int | None
    bound_as: str


class RemarkRecord(TypedDict):
    """Something the student should know, in both languages."""

    kind: str
    text_en: str
    text_zh: str
    file: str | None
    line: int | None
    cell: int | None


class FlagRecord(TypedDict):
    """Something staff should look at."""

    kind: str
    detail: str
    file: str | None
    line: int | None
    cell: int | None


@dataclass(slots=True)
class Loaded:
    """A student's module after its load: the live namespace, and what was noticed as plain data."""

    namespace: dict[str, Any]
    trees: dict[str, list[ast.Module]]  # by file; their lines are those of the running code: see place_of
    place_of: Callable[[str, int], Spot | None]  # (co_filename, line) -> the student's own line
    place_of_error: Callable[[TracebackType | None], Spot | None]  # deepest own line of a traceback
    definitions: list[DefinitionRecord] = field(default_factory=list)
    remarks: list[RemarkRecord] = field(default_factory=list)
    flags: list[FlagRecord] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    signatures: dict[str, list[str]] = field(default_factory=dict)

    def summary(self) -> dict[str, Any]:
        """What crosses the wire: plain data only."""
        return {
            "definitions": self.definitions,
            "remarks": self.remarks,
            "flags": self.flags,
            "names": self.names,
            "inner": self.inner,
            "signatures": self.signatures,
        }


def clean(text: str, cap: int = MESSAGE_CAP) -> str:
    """Text that any codec can carry: lone surrogates escaped, cut at ``cap`` characters."""
    text = text[: cap + 1].encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= cap else text[: cap - 1] + "…"


def flag(kind: str, detail: str, spot: Spot | None) -> FlagRecord:
    where = spot or Spot(file="", line=None, cell=None)
    return FlagRecord(
        kind=kind, detail=clean(detail), file=where["file"] or None, line=where["line"], cell=where["cell"]
    )
