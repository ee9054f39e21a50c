"""The graded notebook as one page: the report, then every cell, with a mark where a graded function is defined.

Nothing of a student's is markup; stored outputs never come here. What a mark says is what the document's form says.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup, escape

from grader.model.outcome import Outcome
from grader.reports.html import facts, template
from grader.reports.untrusted import one_line, printable
from grader.reports.words import word

_SHOWN: Final = 60_000  # characters of one cell
_CELLS: Final = 2_000
_READ_AS_MARKDOWN: Final = 40_000  # characters of all text cells: reading hostile ones is slow
_OPEN: Final = frozenset({Outcome.BLOCKED, Outcome.NOT_ATTEMPTED})

CellText = tuple[int, str, str]  # number, kind, source


def render(document: Mapping[str, Any], cells: Sequence[CellText], *, lang: str) -> str:
    """The whole page."""
    left, shown = _READ_AS_MARKDOWN, []
    for cell in cells[:_CELLS]:
        left -= len(cell[2]) if cell[1] == "markdown" else 0
        shown.append(_cell(document, cell, lang, typed=left < 0))
    return template("notebook.html").render(
        **facts(document, lang), notebook=word("notebook", lang), no_outputs=word("no_outputs", lang), cells=shown
    )


def _cell(document: Mapping[str, Any], cell: CellText, lang: str, *, typed: bool) -> dict[str, Any]:
    """``typed``: a text cell is shown as it was typed."""
    from grader.reports.inert import markdown

    number, kind, source = cell
    named = word("cell", lang, number=number)
    return {
        "number": number,
        "name": named if kind in ("code", "markdown") else f"{named} ({one_line(kind, limit=40)})",
        "marks": list(_marks(document, number, lang)) if kind == "code" else [],
        "remarks": [printable(r["text"]).strip("\n") for r in document["remarks"] if r.get("cell") == number],
        "html": markdown(source, lang) if kind == "markdown" and not typed else None,
        "lines": list(_lines(source, coloured=kind == "code")),
    }


def _marks(document: Mapping[str, Any], number: int, lang: str) -> Iterator[dict[str, Any]]:
    """One for each graded function that is defined in this cell."""
    for found in document["definitions"]:
        if (found["place"] or {}).get("cell") != number:
            continue
        name = one_line(found["name"])
        tests = [test for test in document["tests"] if test["function"] == found["name"]]
        seen = [test for test in tests if test["outcome"] not in _OPEN]
        held = sum(test["outcome"] == Outcome.PASSED for test in seen)
        lost = list(dict.fromkeys(one_line(t["criterion"]) for t in seen if t["outcome"] != Outcome.PASSED))
        if found["state"] != "present":
            yield {"kind": "open", "sign": "–", "text": word(f"cell_{found['state']}", lang, name=name), "lost": []}
        elif not seen:
            yield {"kind": "open", "sign": "·", "text": word("cell_unseen", lang, name=name), "lost": []}
        elif lost:
            said = word("cell_loses", lang, name=name, passed=held, all=len(seen))
            yield {"kind": "loses", "sign": "✗", "text": said, "lost": lost}
        else:
            yield {"kind": "holds", "sign": "✓", "text": word("cell_holds", lang, name=name), "lost": []}


def _lines(source: str, *, coloured: bool) -> Iterator[Markup]:
    text = printable(source, limit=_SHOWN)
    spans = _spans(text) if coloured else {}
    for number, line in enumerate(text.split("\n"), start=1):
        done, parts = 0, []
        for start, end, kind in spans.get(number, ()):
            parts += [escape(line[done:start]), Markup('<span class="{}">{}</span>').format(kind, line[start:end])]
            done = end
        yield Markup("").join([*parts, escape(line[done:])])


def _spans(text: str) -> dict[int, list[tuple[int, int, str]]]:
    """What is worth a colour, by line: start, end and class; as far as the text reads as Python."""
    found: dict[int, list[tuple[int, int, str]]] = {}
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = _kind(token)
            if not kind:
                continue
            (first, start), (last, end) = token.start, token.end
            for number in range(first, last + 1):
                begin = start if number == first else 0
                found.setdefault(number, []).append((begin, end if number == last else len(lines[number - 1]), kind))
    except (tokenize.TokenError, SyntaxError, IndexError):
        pass
    return found


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return "k" if keyword.iskeyword(token.string) else ""
    return {tokenize.COMMENT: "c", tokenize.STRING: "s", tokenize.NUMBER: "m"}.get(token.type, "")
