"""The languages of texts, and which one is spoken where nobody says."""

from __future__ import annotations

import locale
from collections.abc import Mapping
from enum import StrEnum


class Language(StrEnum):
    """The languages of texts and reports."""

    EN = "en"
    ZH = "zh"
    ALL = "all"  # of 'release' alone


def default_language(environment: Mapping[str, str], encoding: str | None) -> Language:
    """Chinese where the locale says so and the stream can show it, else English."""
    names = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    spoken = next((name for name in names if name), None) or (locale.getlocale()[0] or "")
    try:
        "分".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return Language.EN
    return Language.ZH if spoken.lower().startswith(("zh", "chinese")) else Language.EN
