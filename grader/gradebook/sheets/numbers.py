"""Marks as the sheets of any locale write them."""

from __future__ import annotations

import re
from fractions import Fraction

from grader.reports.words import marks

_NUMBER = re.compile(r"[+-]?\d{1,3}(?:[.,' \u00a0\u202f]\d{3})*(?:[.,]\d+)?|[+-]?\d+(?:[.,]\d+)?")


def number(text: str) -> Fraction | None:
    """A number as any locale writes it: 7.5, 7,5, 1.234,50, 1,234.50."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    text = re.sub("[' \u00a0\u202f]", "", text)
    last = max(text.rfind("."), text.rfind(","))
    thousands = last >= 0 and (text.count(text[last]) > 1)
    whole, part = (text, "") if last < 0 or thousands else (text[:last], text[last + 1 :])
    whole = whole.replace(".", "").replace(",", "")
    return Fraction(f"{whole or '0'}.{part or '0'}")


def written(value: Fraction, *, comma: bool) -> str:
    """Marks for a sheet."""
    text = marks(float(value))
    return text.replace(".", ",") if comma else text
