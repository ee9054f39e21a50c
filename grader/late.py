"""When a hand-in was due, when it came, and how many days late that is. The marks are `scoring`'s.

The term file stands beside the course, not in it: a moved deadline changes no assignment and runs nothing again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from fractions import Fraction
from pathlib import Path

from grader.errors import CourseError, UsageError
from grader.model import Text
from grader.scoring import LateRule
from grader.strict_yaml import Loaded, load

_DAY = timedelta(days=1)
_KEYS = ("deadline", "grace", "per_day", "cap", "of", "late_mark", "extensions")
_EXAMPLE = "2026-03-01T23:59:00+08:00"
_UNITS = {"min": 60, "minute": 60, "minutes": 60, "h": 3600, "hour": 3600, "hours": 3600, "d": 86400, "day": 86400,
          "days": 86400, "分钟": 60, "小时": 3600, "天": 86400}  # fmt: skip
_LENGTH = re.compile(r"(\d{1,4}(?:\.\d{1,3})?) *([a-z]+|[\u4e00-\u9fff]+)")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,3})?) *%")


class Source(StrEnum):
    """Where the time of handing in is known from."""

    LMS = "lms"  # the platform's own metadata
    WORKSHEET = "worksheet"  # a sheet that staff downloaded
    LATE_MARK = "late_mark"  # the platform says that it was late, not when it came
    NONE = "none"


_SOURCES: Mapping[Source, Text] = {
    Source.LMS: Text("time from the platform's own data", "时间来自平台数据"),
    Source.WORKSHEET: Text("time from the worksheet", "时间来自成绩工作表"),
    Source.LATE_MARK: Text("the platform's LATE mark, which tells no time", "平台的迟交标记，没有具体时间"),
    Source.NONE: Text("no time of handing in is known", "提交时间未知"),
}


@dataclass(frozen=True, slots=True)
class HandedIn:
    """When something came, as ISO text, and who says so. Without an offset it is read in the deadline's zone."""

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
    """Days begun after the deadline, and the sentence that says how that is known."""

    days: int
    note: Text


def lateness(term: Term, student_id: str, handed_in: HandedIn) -> Lateness:
    """How late this student is. Within the grace it is on time; after it, days count from the deadline itself."""
    source, extended = _SOURCES[handed_in.source], student_id in term.extensions
    if handed_in.source is Source.LATE_MARK:
        if extended:
            return Lateness(0, _joined(source, Text("has an extension; please look", "已延期，请人工确认")))
        return Lateness(term.mark_days, _joined(source, _days(term.mark_days)))
    if handed_in.source is Source.NONE:
        return Lateness(0, source)
    due = term.due(student_id)
    came = datetime.fromisoformat(handed_in.when)
    late = (came if came.tzinfo else came.replace(tzinfo=due.tzinfo)) - due
    more = Text(", with an extension", "，已延期") if extended else Text("", "")
    days = 0 if late <= term.grace else -(-late // _DAY)
    said = _days(days) if days else Text("on time", "按时提交")
    return Lateness(days, Text(f"{said.en}{more.en} ({source.en})", f"{said.zh}{more.zh or more.en}（{source.zh}）"))


def _days(days: int) -> Text:
    return Text(f"{days} {'day' if days == 1 else 'days'} late", f"迟交 {days} 天")


def _joined(source: Text, said: Text) -> Text:
    return Text(f"{said.en} ({source.en})", f"{said.zh}（{source.zh}）")


def read_term(path: Path) -> Term:
    """The term of a file.

    Raises:
        UsageError: it cannot be read.
        CourseError: everything wrong with it, each with file, line, column and what to write instead.
    """
    try:
        source = path.read_bytes()
    except OSError as wrong:
        raise UsageError(f"--term {path}: {wrong.strerror or wrong}") from None
    return _Reading(str(path), load(source, str(path))).term()


class _Reading:
    """One pass over the file's keys; problems are gathered, not raised one by one."""

    def __init__(self, name: str, loaded: Loaded) -> None:
        self._name, self._loaded = name, loaded
        self._problems: list[str] = []

    def term(self) -> Term:
        data = self._loaded.data
        if not isinstance(data, dict):
            raise CourseError([f"{self._name}:1:1: a term is written as keys: {', '.join(_KEYS)}"])
        for key in data:
            if key not in _KEYS:
                self._wrong((key,), f"there is no key '{key}' in a term; there is {', '.join(_KEYS)}", key=True)
        if "deadline" not in data:
            self._wrong((), f"deadline is missing; write one like {_EXAMPLE}")
        deadline = self._moment(("deadline",), data.get("deadline", _EXAMPLE))
        of = data.get("of", "maximum")
        if of not in ("maximum", "earned"):
            self._wrong(("of",), "of is 'maximum' (shares of the assignment's marks) or 'earned'")
        rule = LateRule(
            self._share(("per_day",), data.get("per_day", "0%")),
            self._share(("cap",), data.get("cap", "100%")),
            of == "earned",
        )
        grace = self._length(("grace",), data.get("grace", "0 min"))
        mark = self._length(("late_mark",), data.get("late_mark", "1 day"))
        extensions = self._extensions(data.get("extensions") or {}, deadline)
        if self._problems:
            raise CourseError(self._problems)
        return Term(deadline, rule, grace, -(-mark // _DAY), extensions)

    def _extensions(self, found: object, deadline: datetime) -> dict[str, datetime]:
        if not isinstance(found, dict):
            self._wrong(("extensions",), "extensions map a student id to a new deadline or a length, such as 2 days")
            return {}
        return {student: self._until(("extensions", student), value, deadline) for student, value in found.items()}

    def _until(self, path: tuple[str, ...], value: object, deadline: datetime) -> datetime:
        if isinstance(value, str) and _LENGTH.fullmatch(value.strip().lower()):
            return deadline + self._length(path, value)
        return self._moment(path, value)

    def _moment(self, path: tuple[str, ...], value: object) -> datetime:
        try:
            moment = datetime.fromisoformat(str(value))
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            self._wrong(path, f"'{value}' is no time with its offset from UTC; write one like {_EXAMPLE}")
            return datetime.fromisoformat(_EXAMPLE)
        return moment

    def _length(self, path: tuple[str, ...], value: object) -> timedelta:
        found = _LENGTH.fullmatch(str(value).strip().lower())
        if value == 0:
            return timedelta(0)
        if found is None or found[2] not in _UNITS:
            self._wrong(path, f"'{value}' is no length of time; write one like 10 min, 2 h or 1 day")
            return timedelta(0)
        return timedelta(seconds=float(found[1]) * _UNITS[found[2]])

    def _share(self, path: tuple[str, ...], value: object) -> Fraction:
        found = _PERCENT.fullmatch(str(value).strip())
        share = Fraction(found[1]) / 100 if found else None
        if share is None or share > 1:
            self._wrong(path, f"'{value}' is no share; write one from 0% to 100%, such as 10%")
            return Fraction(0)
        return share

    def _wrong(self, path: tuple[str, ...], problem: str, *, key: bool = False) -> None:
        position = self._loaded.position(path, key=key)
        where = ".".join(path)
        self._problems.append(f"{self._name}:{position}: {where + ': ' if where and not key else ''}{problem}")
