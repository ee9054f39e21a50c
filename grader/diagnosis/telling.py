"""Named mistakes as findings of a report, with the mark the submission would have without them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from grader.diagnosis.naming import Named
from grader.model.report import CriterionScore, Finding


def findings(
    named: Sequence[Named], score: Fraction | None, criteria: Sequence[CriterionScore], lang: str
) -> tuple[Finding, ...]:
    """Each set of mistakes in words. ``score_if_mended`` gives back what its criteria lost."""
    told = []
    for each in named:
        costs = each.criteria | {c for fault in each.faults for c in fault.costs}
        back = sum((c.max_points - c.points for c in criteria if c.id in costs), Fraction(0))
        text = " ".join(fault.text.pick(lang) for fault in each.faults)
        ids = tuple(fault.id for fault in each.faults)
        mended = None if score is None else score + back
        examples = tuple(fault.example.text.pick(lang) for fault in each.faults if fault.example is not None)
        told.append(Finding(ids, each.function, each.explains, each.of, text, mended, examples))
    return tuple(told)
