"""A student's Markdown as HTML that can do nothing: no markup of theirs, no picture, no address but plain links."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import bleach
from markupsafe import Markup, escape
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from grader.reports.untrusted import printable
from grader.reports.words import word

_LIMIT: Final = 8_000  # characters; what is longer is shown as it was typed
_NESTED: Final = 40  # of these at the start of one line, no reader of Markdown is asked
_TAGS: Final = frozenset({
    "p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "a",
    "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
})  # fmt: skip
_ATTRIBUTES: Final = {"a": ["href", "rel"]}
_PROTOCOLS: Final = frozenset({"http", "https", "mailto"})


class _Renderer(IPythonRenderer):
    """Raw HTML becomes text; a picture becomes its description; code has no colours."""

    def __init__(self, lang: str) -> None:
        super().__init__(escape=True, allow_harmful_protocols=False, exclude_anchor_links=True)
        self._lang = lang

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return str(escape(word("picture", self._lang, name=Markup(text).striptags())))

    def block_code(self, code: str, info: str | None = None) -> str:
        return f"<pre><code>{escape(code)}</code></pre>\n"


@cache
def _reader(lang: str) -> Any:
    return MarkdownWithMath(renderer=_Renderer(lang))


def markdown(text: str, lang: str) -> Markup | None:
    """Safe HTML of ``text``; None where it is better shown as it was typed."""
    shown = printable(text, limit=_LIMIT)
    if len(text) > _LIMIT or any(_nests(line) for line in shown.splitlines()):
        return None
    try:
        html = _reader(lang).render(shown)
    except Exception:  # the reader is another's, the text a student's: neither may cost the page
        return None
    clean = bleach.clean(html, _TAGS, _ATTRIBUTES, _PROTOCOLS, strip=True, strip_comments=True)
    return Markup(clean)  # escaped and cleaned just now


def _nests(line: str) -> bool:
    """Whether a line opens so much that reading it takes long."""
    return max((line.count(sign) for sign in "[>*_`~"), default=0) > _NESTED
