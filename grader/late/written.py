"""Times as platforms write them."""

from __future__ import annotations

import re
from datetime import datetime

# Ruby and nbgrader write a blank before the zone, the one as an offset, the other as its name.
_ZONE = re.compile(r"\s*(?:UTC|GMT|Z)$|\s+(?=[+-]\d\d:?\d\d$)", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?"
_HALF = r" *(?P<half>[ap]\.?m\.?)?"
_WEEKDAY = r"(?:[a-z]+,? +)?"
_ZHOU = "(?:(?:星期|周|週)[一二三四五六日天])?"
# Moodle's worksheets: "Friday, 6 March 2026, 11:59 PM", "Friday, March 6, 2026, 11:59 PM", "2026年3月6日 星期五 23:59".
_DAY_FIRST = rf"{_WEEKDAY}(?P<day>\d{{1,2}}) +(?P<month>[a-z]+) +(?P<year>\d{{4}}),? +{_CLOCK}{_HALF}"
_MONTH_FIRST = rf"{_WEEKDAY}(?P<month>[a-z]+) +(?P<day>\d{{1,2}}),? +(?P<year>\d{{4}}),? +{_CLOCK}{_HALF}"
_CHINESE = (
    r"(?P<year>\d{4}) *年 *(?P<month>\d{1,2}) *月 *(?P<day>\d{1,2}) *日[ ,，]*" + _ZHOU + "[ ,，]*"
    rf"(?P<half>上午|下午|凌晨|早上|中午|晚上)? *{_CLOCK}(?: *(?P<after>[ap]\.?m\.?))?"
)
_IN_WORDS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (_DAY_FIRST, _MONTH_FIRST, _CHINESE))
_AFTERNOON = ("p", "下午", "晚上")
_MORNING = ("a", "上午", "凌晨", "早上")


def written(text: str) -> datetime | None:
    """A time of day as it is written, with its offset where it tells one; None where it is none."""
    text = " ".join(text.split())
    return _in_digits(text) or _in_words(text)


def _in_digits(text: str) -> datetime | None:
    found = _ZONE.search(text)
    if found is not None:
        text = text[: found.start()] + ("+00:00" if found[0].strip() else text[found.end() :])
    if ":" not in text:  # a day alone: nobody can say whether its start or its end is meant
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _in_words(text: str) -> datetime | None:
    found = next((match for pattern in _IN_WORDS if (match := pattern.fullmatch(text))), None)
    if found is None:
        return None
    parts = found.groupdict()
    month = _month(parts["month"])
    hour = _hour(int(parts["hour"]), (parts["half"] or parts.get("after") or "").lower())
    try:
        return datetime(int(parts["year"]), month, int(parts["day"]), hour, int(parts["minute"]),
                        int(parts["second"] or 0))  # fmt: skip
    except ValueError:
        return None


def _month(text: str) -> int:
    if text.isdigit():
        return int(text)
    return next((at for at, name in enumerate(_MONTHS, 1) if text.lower().startswith(name)), 0)


def _hour(hour: int, half: str) -> int:
    if half.startswith(_AFTERNOON) and hour < 12:
        return hour + 12
    return 0 if half.startswith(_MORNING) and hour == 12 else hour
