"""One file a format: a report document in, text out. Nothing here computes marks or chooses by audience."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, cast

RENDERERS: Mapping[str, str] = MappingProxyType({
    "json": "grader.reports.json",
    "terminal": "grader.reports.terminal",
    "markdown": "grader.reports.markdown",
    "html": "grader.reports.html",
    "junit": "grader.reports.junit",
})  # fmt: skip


def render(form: str, document: Mapping[str, Any], *, lang: str) -> str:
    """``document`` in the format ``form`` (a key of `RENDERERS`); each format is imported when first asked for."""
    return cast(str, import_module(RENDERERS[form]).render(document, lang=lang))
