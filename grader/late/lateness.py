"""How late somebody is, and the sentence that says how that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum

from grader.late.clocks import days_begun, delay, earliest
from grader.late.written import written
from grader.model.course import Text
from grader.scoring import LateRule


class Source(StrEnum):
    """Where the time of handing in is known from."""

    LMS = "lms"  # the platform's own metadata
    WORKSHEET = "worksheet"  # a sheet that staff downloaded
    TOLD = "told"  # on the command line
    LATE_MARK = "late_mark"  # the platform says that it was late, not when it came
    NONE = "none"


_SOURCES: Mapping[Source, Text] = {
    Source.LMS: Text("time from the platform's own data", "时间来自平台数据"),
    Source.WORKSHEET: Text("time from the worksheet", "时间来自成绩工作表"),
    Source.TOLD: Text("time as it was told", "时间由教师给出"),
    Source.LATE_MARK: Text("the platform's LATE mark, which tells no time", "平台的迟交标记，没有具体时间"),
    Source.NONE: Text("no time of handing in is known", "提交时间未知"),
}


@dataclass(frozen=True, slots=True)
class HandedIn:
    """When something came, as text, and who says so. Without an offset it is read in the deadline's zone."""

    source: Source = Source.NONE
    when: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A deadline and what follows from missing it. ``extensions`` are deadlines of their own, by student id."""

    deadline: datetime
    rule: LateRule
    grace: timedelta = timedelta(0)
    mark_days: int = 1  # what a mark without a time counts as
    extensions: Mapping[str, datetime] = field(default_factory=dict)

    def due(self, student_id: str) -> datetime:
        return self.extensions.get(student_id, self.deadline)


@dataclass(frozen=True, slots=True)
class Lateness:
    """Days begun after the deadline, who says when it came, and the sentence that tells both."""

    days: int
    note: Text
    source: Source = Source.NONE


def lateness(term: Term, student_id: str, handed_in: HandedIn) -> Lateness:
    """How late this student is. Within the grace it is on time; after it, days count from the deadline itself."""
    if handed_in.source is Source.NONE:
        return Lateness(0, _SOURCES[Source.NONE])
    extended = student_id in term.extensions
    if handed_in.source is Source.LATE_MARK:
        if extended:
            asked = Text("has an extension; please look", "已延期，请人工确认")
            return _told(0, asked, handed_in.source)
        return _told(term.mark_days, _days(term.mark_days), handed_in.source)
    due = term.due(student_id)
    came = moment(handed_in.when, due.tzinfo)
    if came is None:
        return Lateness(0, _SOURCES[Source.NONE])
    days = 0 if delay(due, came) <= term.grace else days_begun(due, came)
    said = _days(days) if days else Text("on time", "按时提交")
    more = Text(", with an extension", "，已延期") if extended else Text("", "")
    return _told(days, Text(said.en + more.en, said.zh + (more.zh if extended else "")), handed_in.source)


def moment(when: str, zone: tzinfo | None) -> datetime | None:
    """The time that a hand-in's metadata tell, in the student's favour; None where they tell none."""
    found = written(when)
    return None if found is None else earliest(found, zone)


def _days(days: int) -> Text:
    return Text(f"{days} {'day' if days == 1 else 'days'} late", f"迟交 {days} 天")


def _told(days: int, said: Text, source: Source) -> Lateness:
    why = _SOURCES[source]
    return Lateness(days, Text(f"{said.en} ({why.en})", f"{said.zh}（{why.zh}）"), source)
