"""The only arithmetic on marks. Shares are exact; each criterion is rounded to 0.01, the total is their sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grader.model.course import Assignment, Criterion
from grader.model.outcome import Outcome
from grader.model.report import CriterionScore, TestResult
from grader.model.submission import Flag


def score_criteria(assignment: Assignment, tests: Sequence[TestResult], lang: str) -> tuple[CriterionScore, ...]:
    """Every rubric line with the marks its tests earned."""
    return score_rubric(assignment.criteria, tests, lang)


def score_rubric(criteria: Sequence[Criterion], tests: Sequence[TestResult], lang: str) -> tuple[CriterionScore, ...]:
    """The same for a rubric alone, as it was or as it is now."""
    return tuple(_score(c, [t for t in tests if t.criterion == c.id], lang) for c in criteria)


def _score(criterion: Criterion, tests: Sequence[TestResult], lang: str) -> CriterionScore:
    points = rounded(criterion.marks * _share(criterion, tests))
    hint = criterion.hints[0].pick(lang) if points < criterion.marks and criterion.hints else ""
    return CriterionScore(criterion.id, criterion.title.pick(lang), points, criterion.marks, hint)


def _share(criterion: Criterion, tests: Sequence[TestResult]) -> Fraction:
    counted = [t for t in tests if t.outcome is not Outcome.BLOCKED]
    if not counted:
        kept = criterion.when_blocked == "free" or (
            criterion.when_blocked == "shown" and all(t.inherited for t in tests)
        )
        return Fraction(1 if tests and kept else 0)
    passed = sum(t.outcome is Outcome.PASSED for t in counted)
    if criterion.all_or_nothing:
        return Fraction(int(passed == len(counted)))
    return Fraction(passed, len(counted))


def total(criteria: Sequence[CriterionScore], flags: Sequence[Flag]) -> Fraction:
    """The sum of the criteria less what flags cost, never below zero."""
    earned = sum((c.points for c in criteria), Fraction(0))
    return max(rounded(earned - sum((f.costs for f in flags), Fraction(0))), Fraction(0))


def rounded(value: Fraction) -> Fraction:
    """To 0.01, halves up."""
    return Fraction(int(value * 100 + Fraction(1, 2)), 100)


@dataclass(frozen=True, slots=True)
class LateRule:
    """What handing in late costs: a share for each day begun, up to a cap."""

    per_day: Fraction
    cap: Fraction = Fraction(1)
    of_earned: bool = False  # shares of what was earned, else of the maximum


def late_penalty(earned: Fraction, maximum: Fraction, rule: LateRule, days: int) -> Fraction:
    """The marks that ``days`` begun after the deadline take off; never more than was earned."""
    share = min(rule.per_day * days, rule.cap)
    return min(rounded((earned if rule.of_earned else maximum) * share), earned)


def less(earned: Fraction, penalty: Fraction) -> Fraction:
    """What counts after a penalty."""
    return max(earned - penalty, Fraction(0))
