"""Named mistakes as plain facts, and back: what one grading process found, another need not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.diagnosis.faults import Fault
from grader.diagnosis.naming import Named
from grader.model.course import Text


def as_facts(named: Sequence[Named]) -> list[Any]:
    """JSON values. A mistake goes by its id; the words go with it, as some are made for what was measured."""
    return [
        [
            [[fault.id, list(fault.costs), fault.text.en, fault.text.zh] for fault in each.faults],
            each.function,
            sorted(each.criteria),
            each.explains,
            each.of,
        ]
        for each in named
    ]


def from_facts(facts: list[Any], known: Sequence[Fault]) -> tuple[Named, ...]:
    """Raises ``ValueError``, ``TypeError`` or ``KeyError`` for anything else."""
    by_id = {fault.id: fault for fault in known}
    return tuple(
        Named(
            tuple(by_id.get(name) or Fault(name, costs, Text(en, zh), {}) for name, costs, en, zh in faults),
            function,
            frozenset(criteria),
            explains,
            of,
        )
        for faults, function, criteria, explains, of in facts
    )
