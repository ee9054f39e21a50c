"""The whole change as one Markdown text: a table, what most likely happened, and the reports folded below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from grader.model.course import Text
from grader.model.outcome import Outcome, Status
from grader.model.submission import Flag
from grader.reports import markdown
from grader.reports.words import STATUSES, marks, word

STEP_LIMIT = 900_000  # bytes; GitHub takes 1 MiB a step, and nothing at all of more
COMMENT_LIMIT = 60_000  # characters of a comment, and of a check run's summary, are 65535
_FLAGS_SHOWN = 30

_WORDS: Mapping[str, Text] = {
    "heading": Text("Grading of", "评分："),
    "columns": Text("| Assignment | Result | |", "| 作业 | 结果 | |"),
    "nothing": Text(
        "This change touches no assignment, so nothing was graded.", "此改动未涉及任何作业，因此没有评分。"
    ),
    "passed": Text("{passed} of {all} public checks", "公开检查 {passed} / {all}"),
    "details": Text("The report on {title}", "{title} 的报告"),
    "likely": Text("Most likely", "最可能的原因"),
    "left": Text(
        "What follows was left out here: the whole text would be longer than the platform takes. "
        "The report files hold all of it.",
        "其余内容在此省略：全文超过平台允许的长度。报告文件中有完整内容。",
    ),
    "flags": Text("For staff", "供教师查看"),
    "no_marks": Text(
        "This repository can be read by others, so marks are not shown here.",
        "此仓库可被他人读取，因此不在这里显示分数。"
    ),
    "graded": Text("graded", "已评分"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """One assignment as it may be told: a document in the form its reader may see."""

    title: str
    document: Mapping[str, Any]


def summary(
    head: str, told: Sequence[Told], lang: str, *, notes: Sequence[str] = (), flags: Sequence[Flag] = (),
    limit: int = STEP_LIMIT,
) -> str:  # fmt: skip
    """The text, never longer than ``limit`` bytes. ``notes`` are ours; ``flags`` are for staff."""
    blocks = [*_top(head, told, lang, notes), *_flags(flags, lang), *(_folded(each, lang) for each in told)]
    return cut(blocks, lang, limit)


def without_marks(head: str, told: Sequence[Told], lang: str) -> str:
    """What may stand where others can read it: that it was graded, and no word about how."""
    rows = [f"| {markdown.inline(each.title)} | {_state(each.document, lang)} | |" for each in told]
    heading = f"## {_said('heading', lang)} {markdown.code(head[:10])}"
    table = [_said("columns", lang), "|---|---|---|", *rows] if rows else [_said("nothing", lang)]
    return "\n\n".join([heading, "\n".join(table), _said("no_marks", lang)]) + "\n"


def cut(blocks: Sequence[str], lang: str, limit: int) -> str:
    """The first blocks that fit whole, with a note where some do not."""
    left = f"_{_said('left', lang)}_\n"
    kept: list[str] = []
    size = len(left.encode()) + 2
    for block in blocks:
        size += len(block.encode()) + 2
        if size > limit:
            return "\n\n".join([*kept, left])
        kept.append(block)
    return "\n\n".join(kept) + "\n"


def headline(told: Sequence[Told], lang: str) -> str:
    """All results in one line."""
    said = [f"{each.title}: {result(each.document, lang)}" for each in told]
    return "; ".join(said) or _said("nothing", lang)


def result(document: Mapping[str, Any], lang: str) -> str:
    """What a document comes to: marks, public checks, or why there are none."""
    if document["score"] is not None:
        return f"{marks(document['score'])} / {marks(document['max_score'])}"
    if document["status"] != Status.GRADED:
        return STATUSES[document["status"]].pick(lang)
    passed = sum(test["outcome"] == Outcome.PASSED for test in document["tests"])
    return _said("passed", lang).format(passed=passed, all=len(document["tests"]))


def _top(head: str, told: Sequence[Told], lang: str, notes: Sequence[str]) -> Iterator[str]:
    yield f"## {_said('heading', lang)} {markdown.code(head[:10])}"
    if told:
        rows = [f"| {markdown.inline(each.title)} | {result(each.document, lang)} | {_likely(each.document)} |"
                for each in told]  # fmt: skip
        yield "\n".join([_said("columns", lang), "|---|---|---|", *rows])
    else:
        yield _said("nothing", lang)
    for note in notes:
        yield f"> {markdown.inline(note)}"


def _likely(document: Mapping[str, Any]) -> str:
    """The first finding, else the reason there are no marks, in a table's cell."""
    texts = [finding["text"] for finding in document["diagnosis"]] or [document["reason"] or ""]
    return markdown.inline(texts[0]).replace("|", "\\|")


def _folded(told: Told, lang: str) -> str:
    title = escape(_said("details", lang).format(title=told.title))
    body = markdown.render(told.document, lang=lang).strip("\n")
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def _flags(flags: Sequence[Flag], lang: str) -> Iterator[str]:
    if flags:
        lines = [f"- {markdown.code(flag.kind)} {markdown.inline(flag.detail)}" for flag in flags[:_FLAGS_SHOWN]]
        left = len(flags) - _FLAGS_SHOWN
        more = [f"- {word('more_of_these', lang, count=left)}"] if left > 0 else []
        yield "\n".join([f"### {_said('flags', lang)}", "", *lines, *more])


def _state(document: Mapping[str, Any], lang: str) -> str:
    graded = document["status"] == Status.GRADED
    return _said("graded", lang) if graded else STATUSES[document["status"]].pick(lang)


def _said(key: str, lang: str) -> str:
    return _WORDS[key].pick(lang)
