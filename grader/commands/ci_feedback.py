"""``feedback`` of ``course.yaml`` as a CI run has to keep it: what may be seen now, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from grader.ci.allowance import Ledger, Run
from grader.commands.console import write_document
from grader.errors import UsageError
from grader.gradebook.standings import Late
from grader.late import HandedIn, Source, Term, moment, read_term
from grader.model.course import Course, Text

_USED = Text(
    "{used} of today's {all} runs of the hidden checks are used. This run shows the public checks; its marks are kept.",
    "今天隐藏检查的 {all} 次机会已用 {used} 次。本次只显示公开检查；分数会保留。",
)


@dataclass(frozen=True, slots=True)
class Rules:
    """Where the rules of a course are written down. ``handed_in`` is the server's own time of the push."""

    term: Path | None = None
    ledger: Path | None = None
    handed_in: str = ""
    asked: str | None = None  # a level that was asked for by name


@dataclass(frozen=True, slots=True)
class Shown:
    """The level of this run, why it is that low, and what the ledger will say once the student was told."""

    level: str
    notes: tuple[Text, ...] = ()
    late: Late | None = None
    ledger: Path | None = None
    next_ledger: str = ""

    def note_run(self) -> None:
        """Before anything is told: a run that was seen has always been counted."""
        if self.ledger is not None and self.next_ledger:
            write_document(self.ledger, self.next_ledger)


def settle(course: Course, rules: Rules, student: str, head: str, now: datetime | None = None) -> Shown:
    """What may be shown of a run of the hidden checks.

    Raises:
        UsageError: the course limits runs and nobody says where they are counted, or a file is wrong.
    """
    now = now or datetime.now(UTC)
    term = None if rules.term is None else read_term(rules.term)[0]
    late = _late(term, rules, student)
    if term is not None and _is_over(term, now):
        return Shown(rules.asked or course.after_release, late=late)
    level, allowed = rules.asked or course.before_deadline, course.hidden_runs_per_day
    if level == "public" or not allowed:
        return Shown(level, late=late)
    if rules.ledger is None:
        raise UsageError(f"course.yaml allows {allowed} hidden runs a day; say where they are counted: --ledger FILE")
    today = (now.astimezone(term.deadline.tzinfo) if term is not None else now).date()
    ledger = Ledger(rules.ledger)
    if (used := ledger.used(student, today, head)) >= allowed:
        said = Text(*(text.format(used=used, all=allowed) for text in (_USED.en, _USED.zh)))
        return Shown("public", (said,), late)
    return Shown(level, (), late, rules.ledger, ledger.with_run(Run(student, today, head)))


def _is_over(term: Term, now: datetime) -> bool:
    """For everybody: what one student is shown, the one with an extension reads over a shoulder."""
    return now > max([term.deadline, *term.extensions.values()]) + term.grace


def _late(term: Term | None, rules: Rules, student: str) -> Late | None:
    if term is None:
        if rules.handed_in:
            raise UsageError("--handed-in needs --term FILE, the late policy")
        return None
    if rules.handed_in and moment(rules.handed_in, UTC) is None:
        raise UsageError(f"--handed-in '{rules.handed_in}' is no time; write one like 2026-03-01T23:59+08:00")
    times: Mapping[str, HandedIn] = {student: HandedIn(Source.LMS, rules.handed_in)} if rules.handed_in else {}
    return Late(term, times)
