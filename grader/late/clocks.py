"""Moments and days as the clocks on the wall show them, where a zone turns its clocks as well."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from difflib import get_close_matches
from itertools import count
from zoneinfo import ZoneInfo, available_timezones

_DAY = timedelta(days=1)


class NoSuchTime(ValueError):
    """Says what is wrong with a time, and how to write it."""


def zone_named(name: str) -> ZoneInfo:
    """The zone of that name, such as Europe/Berlin. Raises `NoSuchTime`."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        known = available_timezones()
        close = get_close_matches(name, known, n=1)
        advice = f"did you mean {close[0]}?" if close else "write one like Asia/Shanghai"
        here = "" if known else " (this machine has no time zone data: pip install tzdata)"
        raise NoSuchTime(f"there is no zone '{name}'; {advice}{here}") from None


def on_the_wall(moment: datetime, zone: tzinfo | None) -> datetime | None:
    """A time without an offset, in this zone. None where the clocks skip it; of two, the later (a deadline's)."""
    placed = moment.replace(tzinfo=zone, fold=1)
    first = moment.replace(tzinfo=zone, fold=0)
    if placed.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment:
        return None
    return max(first, placed, key=lambda each: each.astimezone(UTC))


def earliest(moment: datetime, zone: tzinfo | None) -> datetime:
    """When this may have been at the earliest: of an hour that is there twice, the first."""
    if moment.tzinfo is not None:
        return moment
    return min((moment.replace(tzinfo=zone, fold=fold) for fold in (0, 1)), key=lambda each: each.astimezone(UTC))


def delay(due: datetime, came: datetime) -> timedelta:
    """How much time passed, whatever the clocks did meanwhile."""
    return came.astimezone(UTC) - due.astimezone(UTC)


def days_begun(due: datetime, came: datetime) -> int:
    """Days begun after ``due``: each ends when the clocks of its zone show the same time again."""
    if came.astimezone(UTC) <= due.astimezone(UTC):
        return 0
    likely = max((came.astimezone(UTC) - due.astimezone(UTC)) // _DAY - 1, 0)
    return next(day for day in count(likely + 1) if came.astimezone(UTC) <= _after(due, day))


def _after(due: datetime, days: int) -> datetime:
    """The same time on the clocks so many days later, in UTC; where they skip it, the moment they do."""
    return (due + days * _DAY).astimezone(UTC)  # arithmetic within one zone leaves the clocks' reading alone
