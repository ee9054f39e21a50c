"""The term file: strict YAML, and every problem in it with its line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from fractions import Fraction
from pathlib import Path
from typing import Any

from grader.errors import CourseError, UsageError
from grader.late.clocks import NoSuchTime, on_the_wall, zone_named
from grader.late.lateness import Term
from grader.late.written import written
from grader.scoring import LateRule
from grader.strict_yaml import Loaded, load

_DAY = timedelta(days=1)
_KEYS = ("deadline", "zone", "grace", "per_day", "cap", "of", "late_mark", "extensions")
_EXAMPLE = "2026-03-01T23:59:00+08:00"
_UNITS: Mapping[str, int] = {
    **dict.fromkeys(("min", "minute", "minutes", "分钟"), 60),
    **dict.fromkeys(("h", "hour", "hours", "小时"), 3600),
    **dict.fromkeys(("d", "day", "days", "天"), 86400),
}
_LENGTH = re.compile(r"(\d{1,4}(?:\.\d{1,3})?) *([a-z]+|[\u4e00-\u9fff]+)")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,3})?) *%")


def read_term(path: Path) -> tuple[Term, dict[str, Any]]:
    """The term of a file, and its keys as they stand there.

    Raises:
        UsageError: it cannot be read.
        CourseError: everything wrong with it, each with file, line, column and what to write instead.
    """
    try:
        source = path.read_bytes()
    except OSError as wrong:
        raise UsageError(f"--term {path}: {wrong.strerror or wrong}") from None
    return term_from(source, str(path)), load(source, str(path)).data


def term_from(source: bytes, name: str) -> Term:
    """The term that these bytes of the file ``name`` hold. Raises ``CourseError`` as `read_term` does."""
    return _Reading(name, load(source, name)).term()


class _Reading:
    """One pass over the file's keys; problems are gathered, not raised one by one."""

    def __init__(self, name: str, loaded: Loaded) -> None:
        self._name, self._loaded = name, loaded
        self._problems: list[str] = []
        self._zone: tzinfo | None = None

    def term(self) -> Term:
        data = self._loaded.data
        if not isinstance(data, dict):
            raise CourseError([f"{self._name}:1:1: a term is written as keys: {', '.join(_KEYS)}"])
        for key in data:
            if key not in _KEYS:
                self._wrong((key,), f"there is no key '{key}' in a term; there is {', '.join(_KEYS)}", key=True)
        for key in ("deadline", "per_day"):
            if key not in data:
                self._wrong((), f"{key} is missing; write one like {_EXAMPLE if key == 'deadline' else '10%'}")
        self._zone = self._zone_of(data.get("zone"))
        deadline = self._moment(("deadline",), data.get("deadline", _EXAMPLE))
        grace = self._length(("grace",), data.get("grace", "0 min"))
        mark = self._length(("late_mark",), data.get("late_mark", "1 day"))
        extensions = self._extensions(data.get("extensions") or {}, deadline)
        rule = self._rule(data)
        if self._problems:
            raise CourseError(self._problems)
        return Term(deadline, rule, grace, -(-mark // _DAY), extensions)

    def _rule(self, data: Mapping[str, object]) -> LateRule:
        of = data.get("of", "maximum")
        if of not in ("maximum", "earned"):
            self._wrong(("of",), "write maximum (shares of the assignment's marks) or earned (of what was earned)")
        per_day = self._share(("per_day",), data.get("per_day", "0%"))
        return LateRule(per_day, self._share(("cap",), data.get("cap", "100%")), of == "earned")

    def _extensions(self, found: object, deadline: datetime) -> dict[str, datetime]:
        if not isinstance(found, dict):
            self._wrong(("extensions",), "extensions map a student id to a new deadline or a length, such as 2 days")
            return {}
        return {student: self._until(("extensions", student), value, deadline) for student, value in found.items()}

    def _until(self, path: tuple[str, ...], value: object, deadline: datetime) -> datetime:
        found = _LENGTH.fullmatch(value.strip().lower()) if isinstance(value, str) else None
        if found is None:
            until = self._moment(path, value)
        else:  # whole days leave the clocks' reading alone; hours are hours
            length = self._length(path, value)
            whole = length - length % _DAY
            until = ((deadline + whole).astimezone(UTC) + length % _DAY).astimezone(deadline.tzinfo)
        if not self._problems and until.timestamp() < deadline.timestamp():
            self._wrong(path, f"'{value}' ends before the deadline itself; an extension moves it later")
        return until

    def _moment(self, path: tuple[str, ...], value: object) -> datetime:
        moment = written(str(value))
        if moment is not None and moment.tzinfo is not None:
            return moment if self._zone is None else moment.astimezone(self._zone)
        if moment is None:
            self._wrong(path, f"'{value}' is no time; write one like {_EXAMPLE}")
        elif self._zone is None:
            self._wrong(path, f"'{value}' tells no zone; write one like {_EXAMPLE}, or add a line zone: Asia/Shanghai")
        elif (placed := on_the_wall(moment, self._zone)) is not None:
            return placed
        else:
            self._wrong(path, f"the clocks of {self._zone} skip {value} that day; write another time")
        return datetime.fromisoformat(_EXAMPLE)

    def _zone_of(self, value: object) -> tzinfo | None:
        if value is None:
            return None
        try:
            return zone_named(str(value))
        except NoSuchTime as wrong:
            self._wrong(("zone",), str(wrong))
            return zone_named("UTC")

    def _length(self, path: tuple[str, ...], value: object) -> timedelta:
        found = _LENGTH.fullmatch(str(value).strip().lower())
        if type(value) is int and value == 0:
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
