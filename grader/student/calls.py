"""What a watched call gives, and how an exception report from the worker reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grader.model.submission import Place
from grader.places import read_place


@dataclass(frozen=True, slots=True)
class Call:
    """A watched call: its value, and its arguments as they were afterwards."""

    value: Any
    inputs: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)


def exception_facts(facts: Any) -> tuple[tuple[str, ...], str, Place | None, bool, bool]:
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
