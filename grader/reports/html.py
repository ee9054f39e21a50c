"""The report as one page: no script, no request to anywhere, nothing of a student's text is markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

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
from grader.reports.words import STATUSES, WORDS, marks, word

_PAGES = Path(__file__).parent / "pages"
_TROUBLES_SHOWN = 4
_WORDS = ("submission", "students", "fingerprint", "score", "practice", "remarks", "diagnosis", "why", "where", "next",
          "flags", "staff", "seed", "walls", "output", "truncated")  # fmt: skip


@cache
def template(name: str) -> Template:
    """A page of ours, compiled once; whatever is put into it is escaped."""
    pages = Environment(loader=FileSystemLoader(_PAGES), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return pages.get_template(name)


@cache
def look() -> Markup:
    """The style that every page carries within itself."""
    return Markup((_PAGES / "look.css").read_text(encoding="utf-8"))  # noqa: S704: our own file


def tongue(lang: str) -> str:
    return "zh-CN" if lang == "zh" else "en"


def render(document: Mapping[str, Any], *, lang: str, notices: Sequence[str] = ()) -> str:
    """The whole page. ``notices`` are what people and terms made of the marks: a late penalty, a person's word."""
    return template("report.html").render(**facts(document, lang, notices))


def facts(document: Mapping[str, Any], lang: str, notices: Sequence[str] = ()) -> dict[str, Any]:
    """What the page shows of a document: nothing of it is markup yet."""
    found, staff = rubric(document, lang), not is_student_form(document)
    graded = document["score"] is not None
    return {
        "tongue": tongue(lang),
        "css": look(),
        "w": {name: WORDS[name].pick(lang) for name in _WORDS},
        "title": one_line(document["title"] or document["assignment"]),
        "submission": one_line(document["submission"]["id"]),
        "students": [one_line(who) for who in document["submission"]["students"]],
        "fingerprint": one_line(document["submission"]["fingerprint"]),
        "score": marks(document["score"]) if graded else None,
        "score_n": document["score"],
        "most": marks(document["max_score"]),
        "most_n": document["max_score"],
        "standing": _standing(document, lang),
        "practice": document["isolation"]["level"] != "isolated",
        "reason": printable(reason(document)),
        "notices": [printable(notice) for notice in (*late_lines(document, lang), *notices)],
        "remarks": [
            {"text": printable(remark["text"]).strip("\n"), "where": one_line(place(remark, lang))}
            for remark in document["remarks"][:ENTRIES_SHOWN]
        ],
        "remarks_left": _left(document["remarks"], lang),
        "diagnosis": [_finding(document, finding, lang) for finding in document["diagnosis"]],
        "lost_heading": found.lost_heading,
        "losses": [_loss(document, loss, lang, staff=staff) for loss in found.lost],
        "held_heading": found.held_heading,
        "held": [_line(line) for line in found.held],
        "flags": [_flag(flag, lang) for flag in document["flags"][:ENTRIES_SHOWN]],
        "flags_left": _left(document["flags"], lang),
        "staff": _staff(document) if staff else None,
    }


def _standing(document: Mapping[str, Any], lang: str) -> str:
    if document["score"] is not None:
        return ""
    if document["status"] == Status.GRADED:
        passed = sum(test["outcome"] == Outcome.PASSED for test in document["tests"])
        return word("public_passed", lang, passed=passed, all=len(document["tests"]))
    return STATUSES[document["status"]].pick(lang)


def _left(entries: Sequence[Any], lang: str) -> str:
    left = entries_left(entries)
    return word("more_of_these", lang, count=left) if left else ""


def _finding(document: Mapping[str, Any], finding: Mapping[str, Any], lang: str) -> dict[str, Any]:
    facts = [word("explains", lang, **finding)] if finding["of"] else []
    if finding["score_if_mended"] is not None:
        mended, most = marks(finding["score_if_mended"]), marks(document["max_score"])
        facts.append(word("mended", lang, score=mended, max=most))
    examples = [printable(example).strip("\n") for example in finding.get("examples", [])]
    return {"text": printable(finding["text"]), "examples": examples, "facts": one_line("; ".join(facts))}


def _loss(document: Mapping[str, Any], loss: Loss, lang: str, *, staff: bool) -> dict[str, Any]:
    first, shown = loss.lines[0], loss.troubles if staff else loss.troubles[:_TROUBLES_SHOWN]
    further = len(loss.troubles) - len(shown)
    return {
        "part": any(line.points for line in loss.lines),
        "lines": [_line(line) for line in loss.lines],
        "troubles": [_trouble(trouble, lang, staff=staff) for trouble in shown],
        "further": word("further", lang, count=further) if further else "",
        "hint": printable(first.hint) if len(loss.lines) == 1 else "",
        "more": word("more", lang, command=f"grader hint {document['assignment']} {first.id}"),
    }


def _trouble(trouble: Trouble, lang: str, *, staff: bool) -> dict[str, Any]:
    return {
        "why": printable(why(trouble, lang)).strip("\n"),
        "count": word("checks", lang, count=trouble.count) if trouble.count > 1 else "",
        "where": one_line(trouble.where),
        "tests": [{"id": one_line(t["id"]), "detail": printable(t["detail"])} for t in trouble.tests] if staff else [],
    }


def _line(line: Line) -> dict[str, str]:
    known = line.points is not None and line.max_points is not None
    earned = f"{marks(line.points or 0)} / {marks(line.max_points or 0)}" if known else ""
    return {"id": one_line(line.id), "title": one_line(line.title), "marks": earned}


def _flag(flag: Mapping[str, Any], lang: str) -> dict[str, str]:
    costs = word("costs", lang, marks=marks(flag["costs"])) if flag["costs"] else ""
    where = one_line(place(flag, lang))
    return {"kind": one_line(flag["kind"]), "detail": printable(flag["detail"]), "where": where, "costs": costs}


def _staff(document: Mapping[str, Any]) -> dict[str, Any]:
    walls, output = ", ".join(document["isolation"]["walls"]) or "-", document["output"]
    streams = [{"name": name, "text": printable(output[name]), "cut": output["truncated"]}
               for name in ("stdout", "stderr") if output[name]]  # fmt: skip
    shown = one_line(f"{document['isolation']['level']} ({walls})")
    return {"seed": str(document["seed"]), "walls": shown, "output": streams}
