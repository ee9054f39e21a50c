"""The report as Markdown that stays inert: no raw HTML, no links, no mentions, whatever a student's text holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grader.document import is_student_form
from grader.model.outcome import Outcome, Status
from grader.reports.outline import (
    ENTRIES_SHOWN,
    Line,
    Loss,
    Trouble,
    entries_left,
    late_lines,
    place,
    reason,
    rubric,
    why,
)
from grader.reports.untrusted import one_line, printable
from grader.reports.words import STATUSES, marks, word

_TROUBLES_SHOWN = 4
_SPECIAL = re.compile(r"([\\`*_\[\]<>&~])")
# What a platform turns into a link, a mention or a formula by itself, even where it is escaped.
_LINKED = re.compile(
    r"@\w|#\w|://|www\.|mailto:|xmpp:|\bGH-\d|\$|\b[0-9a-f]{7,40}\b|[!%^]\w|^:[\w+-]+:|:[\w+-]+:$", re.IGNORECASE
)
_BLOCK = re.compile(r"(?:#{1,6}|[-+=]+|\d{1,9}[.)])")  # a first word that would make the line a heading or a list


def render(document: Mapping[str, Any], *, lang: str) -> str:
    """The whole report as one Markdown text; ends with a newline."""
    blocks = [
        *_head(document, lang),
        *_remarks(document, lang),
        *_diagnosis(document, lang),
        *_rubric(document, lang),
        *_flags(document, lang),
    ]
    if not is_student_form(document):
        blocks.extend(_staff(document, lang))
    return "\n\n".join(blocks) + "\n"


def inline(text: str) -> str:
    """``text`` on one line, its Markdown escaped; words that would become links or mentions are code."""
    words = [part for part in one_line(text).split(" ") if part]
    shown = [code(part) if _LINKED.search(part) else _SPECIAL.sub(r"\\\1", part) for part in words]
    if words and _BLOCK.fullmatch(words[0]):
        shown[0] = code(words[0])
    return " ".join(shown)


def code(text: str) -> str:
    """``text`` as a code span that no backtick in it can leave."""
    text = one_line(text) or " "
    ticks = "`" * (_longest_run(text) + 1)
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{edge}{text}{edge}{ticks}"


def fenced(text: str, indent: str = "") -> str:
    """``text`` as a code block whose fence is longer than any run of backticks in it."""
    text = printable(text)
    fence = "`" * max(3, _longest_run(text) + 1)
    return "\n".join(f"{indent}{line}".rstrip() for line in (f"{fence}text", *text.split("\n"), fence))


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _prose(text: str, indent: str) -> str:
    """A sentence where it is one, else a block that keeps its lines (a caret under an error, a table of numbers)."""
    text = text.strip("\n")
    return f"\n\n{fenced(text, indent)}" if "\n" in text else inline(text)


def _head(document: Mapping[str, Any], lang: str) -> Iterator[str]:
    submission = document["submission"]
    yield f"# {inline(document['title'] or document['assignment'])}"
    facts = [f"{word('submission', lang)} {code(submission['id'])}"]
    if submission["students"]:
        facts.append(f"{word('students', lang)} {', '.join(code(name) for name in submission['students'])}")
    if submission["fingerprint"]:
        facts.append(f"{word('fingerprint', lang)} {code(submission['fingerprint'])}")
    yield " · ".join(facts)
    if document["score"] is not None:
        yield f"**{word('score', lang)} {marks(document['score'])} / {marks(document['max_score'])}**"
    elif document["status"] == Status.GRADED:
        passed = sum(test["outcome"] == Outcome.PASSED for test in document["tests"])
        yield f"**{word('public_passed', lang, passed=passed, all=len(document['tests']))}**"
    else:
        yield f"**{word('status', lang)}: {STATUSES[document['status']].pick(lang)}**"
    if document["isolation"]["level"] != "isolated":
        yield f"> {word('practice', lang)}"
    if said := reason(document):
        yield _prose(said, "").strip()
    for line in late_lines(document, lang):
        yield inline(line)


def _remarks(document: Mapping[str, Any], lang: str) -> Iterator[str]:
    if document["remarks"]:
        yield f"## {word('remarks', lang)}"
    for remark in document["remarks"][:ENTRIES_SHOWN]:
        spot = place(remark, lang)
        yield f"- {code(spot) + ' ' if spot else ''}{_prose(remark['text'], '  ')}"

    if left := entries_left(document["remarks"]):
        yield word("more_of_these", lang, count=left)


def _diagnosis(document: Mapping[str, Any], lang: str) -> Iterator[str]:
    if document["diagnosis"]:
        yield f"## {word('diagnosis', lang)}"
    for finding in document["diagnosis"]:
        facts = []
        if finding["of"]:
            facts.append(word("explains", lang, **finding | {"function": code(finding["function"])}))
        if finding["score_if_mended"] is not None:
            mended, most = marks(finding["score_if_mended"]), marks(document["max_score"])
            facts.append(word("mended", lang, score=mended, max=most))
        blocks = [f"**{inline(finding['text'])}**", *map(inline, finding.get("examples", []))]
        yield "\n\n".join([*blocks, "; ".join(facts)] if facts else blocks)


def _rubric(document: Mapping[str, Any], lang: str) -> Iterator[str]:
    found = rubric(document, lang)
    if found.lost:
        yield f"## {found.lost_heading}"
    for loss in found.lost:
        yield from _loss(document, loss, lang)
    if found.held:
        yield f"## {found.held_heading}"
        yield "\n".join(f"- {_points(line)}{code(line.id)} {inline(line.title)}" for line in found.held)


def _loss(document: Mapping[str, Any], loss: Loss, lang: str) -> Iterator[str]:
    for line in loss.lines:
        yield f"### {_points(line)}{code(line.id)} {inline(line.title)}"
    staff = not is_student_form(document)
    shown = loss.troubles if staff else loss.troubles[:_TROUBLES_SHOWN]
    for trouble in shown:
        yield _trouble(trouble, lang, staff=staff)
    if len(shown) < len(loss.troubles):
        yield word("further", lang, count=len(loss.troubles) - len(shown))
    first = loss.lines[0]
    if first.hint and len(loss.lines) == 1:
        yield f"**{word('next', lang)}**: {_prose(first.hint, '')}"
    yield word("more", lang, command=code(f"grader hint {document['assignment']} {first.id}"))


def _trouble(trouble: Trouble, lang: str, *, staff: bool) -> str:
    count = f" ({word('checks', lang, count=trouble.count)})" if trouble.count > 1 else ""
    said = [f"- **{word('why', lang)}**{count}: {_prose(why(trouble, lang), '  ')}"]
    if trouble.where:
        said.append(f"- **{word('where', lang)}**: {code(trouble.where)}")
    for test in trouble.tests if staff else ():
        said.append(f"- {code(test['id'])}" + (f": {_prose(test['detail'], '  ')}" if test["detail"] else ""))
    return "\n".join(said)


def _points(line: Line) -> str:
    if line.points is None or line.max_points is None:
        return ""
    return f"{marks(line.points)}/{marks(line.max_points)} "


def _flags(document: Mapping[str, Any], lang: str) -> Iterator[str]:
    if document["flags"]:
        yield f"## {word('flags', lang)}"
    for flag in document["flags"][:ENTRIES_SHOWN]:
        costs = word("costs", lang, marks=marks(flag["costs"])) if flag["costs"] else ""
        spot = place(flag, lang)
        said = (code(flag["kind"]), inline(flag["detail"]), code(spot) if spot else "", costs)
        yield "- " + " ".join(part for part in said if part)
    if left := entries_left(document["flags"]):
        yield word("more_of_these", lang, count=left)


def _staff(document: Mapping[str, Any], lang: str) -> Iterator[str]:
    isolation = document["isolation"]
    yield f"## {word('staff', lang)}"
    walls = ", ".join(isolation["walls"]) or "-"
    yield "\n".join((
        f"- {word('seed', lang)} {code(str(document['seed']))}",
        f"- {word('walls', lang)} {code(isolation['level'])} ({code(walls)})",
    ))  # fmt: skip
    for stream in ("stdout", "stderr"):
        if document["output"][stream]:
            cut = f" ({word('truncated', lang)})" if document["output"]["truncated"] else ""
            yield f"{word('output', lang)}: {code(stream)}{cut}\n\n{fenced(document['output'][stream])}"
