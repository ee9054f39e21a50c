"""What a check came to, as plain text and as HTML: no script, no style sheet, readable on dark and on light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from grader.model.course import Assignment
from grader.model.outcome import Outcome
from grader.model.report import TestResult
from grader.model.submission import Definition, Place
from grader.notebook.words import say
from grader.reports.outline import Loss, Rubric, place, rubric, why
from grader.reports.untrusted import printable

_GOOD, _BAD = "#2b9a57", "#d4574e"  # told apart on white and on black; the sign before them says the same
_BOX = "border-left:4px solid {};padding:2px 0 2px 10px;margin:4px 0;font-family:inherit;color:inherit"
_QUIET = "opacity:0.75"


@dataclass(frozen=True, slots=True)
class Checked:
    """The public checks of one assignment on somebody's code. Notebooks show it; ``print`` does, too."""

    assignment: Assignment
    lang: str
    results: tuple[TestResult, ...]
    definitions: tuple[Definition, ...] = ()
    remarks: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()  # that the public checks touch; all of them, also where only some were run
    file: str = ""
    fingerprint: str = ""

    @property
    def passed(self) -> bool:
        """Whether there were checks, and all of them passed."""
        return bool(self.results) and all(result.outcome is Outcome.PASSED for result in self.results)

    def __str__(self) -> str:
        return "\n".join(_plain(self))

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": _html(self)}


def _headline(checked: Checked) -> str:
    count = sum(result.outcome is Outcome.PASSED for result in checked.results)
    told = say("passed", checked.lang, passed=count, all=len(checked.results))
    return f"{checked.assignment.title.pick(checked.lang)}: {told}"


def _rubric(checked: Checked) -> Rubric:
    lang = checked.lang
    touched = {result.criterion for result in checked.results}
    criteria = [
        {"id": c.id, "title": c.title.pick(lang), "points": None, "max_points": None, "hint": c.hints[0].pick(lang)}
        for c in checked.assignment.criteria
        if c.id in touched
    ]
    tests = [_test(result, lang) for result in checked.results]
    return rubric({"status": "graded", "seed": 0, "criteria": criteria, "tests": tests}, lang)


def _test(result: TestResult, lang: str) -> dict[str, Any]:
    return {
        "criterion": result.criterion,
        "title": result.title.pick(lang),
        "outcome": str(result.outcome),
        "note": result.note.pick(lang) if result.note else "",
        "blocked_by": result.blocked_by,
        "place": _spot(result.place),
    }


def _spot(where: Place | None) -> dict[str, Any] | None:
    return {"file": where.file, "line": where.line, "cell": where.cell} if where else None


def _of_loss(loss: Loss, lang: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The titles a loss is about, and what is said of it: (label, text)."""
    said: list[tuple[str, str]] = []
    for trouble in loss.troubles:
        said.append(("", printable(why(trouble, lang))))
        if trouble.where:
            said.append((say("where", lang), printable(trouble.where)))
    hint = loss.lines[0].hint
    if hint and len(loss.lines) == 1 and any(t.outcome != Outcome.NOT_ATTEMPTED for t in loss.troubles):
        said.append((say("hint", lang), hint))
    return [line.title for line in loss.lines], said


def _closing(checked: Checked) -> list[str]:
    """What the checks do not cover, what will be graded, and the file's fingerprint."""
    lang, every = checked.lang, checked.assignment.criteria
    rest = [c.id for c in every if c.id not in checked.criteria]
    touched = len(every) - len(rest)
    lines = [
        say("touch", lang, touched=touched, all=len(every), rest=", ".join(rest)) if rest else say("touch_all", lang),
        say("other_numbers", lang),
    ]
    if checked.definitions:
        lines.append(say("graded", lang) + ("：" if lang == "zh" else ":"))
        lines += ["  " + _definition(definition, lang) for definition in checked.definitions]
    if checked.fingerprint:
        lines.append(say("fingerprint", lang, file=printable(checked.file), fingerprint=checked.fingerprint))
    return lines


def _definition(definition: Definition, lang: str) -> str:
    spot = printable(place(_spot(definition.place), lang)) or say("here", lang)
    note = f" ({printable(definition.note.pick(lang))})" if definition.note else ""
    return say(definition.state, lang, name=definition.name, place=spot) + note


def _plain(checked: Checked) -> Sequence[str]:
    lang, found = checked.lang, _rubric(checked)
    lines = [_headline(checked)]
    if checked.remarks:
        lines += ["", say("remarks", lang), *("  " + printable(r).replace("\n", "\n  ") for r in checked.remarks)]
    if found.lost:
        lines += ["", say("not_passed", lang)]
    for loss in found.lost:
        titles, said = _of_loss(loss, lang)
        lines += [f"  x {title}" for title in titles]
        lines += ["      " + (f"{label}: {text}" if label else text).replace("\n", "\n      ") for label, text in said]
    if found.held:
        lines += ["", say("held", lang), *(f"  + {line.title}" for line in found.held)]
    return [*lines, "", *_closing(checked)]


def _html(checked: Checked) -> str:
    lang, found = checked.lang, _rubric(checked)
    parts = [f"<p><strong>{escape(_headline(checked))}</strong></p>"]
    parts += [f'<div style="{_BOX.format("#c08a1e")}">{_text(remark)}</div>' for remark in checked.remarks]
    for loss in found.lost:
        titles, said = _of_loss(loss, lang)
        head = "<br>".join(f'<span style="color:{_BAD}">✗</span> <strong>{_text(title)}</strong>' for title in titles)
        told = "".join(
            f"<div>{f'<em>{escape(label)}</em>: ' if label else ''}{_text(text)}</div>" for label, text in said
        )
        parts.append(f'<div style="{_BOX.format(_BAD)}">{head}{told}</div>')
    if found.held:
        held = "<br>".join(f'<span style="color:{_GOOD}">✓</span> {_text(line.title)}' for line in found.held)
        parts.append(f'<div style="{_BOX.format(_GOOD)}">{held}</div>')
    closing = "<br>".join(_text(line) for line in _closing(checked))
    parts.append(f'<div style="{_QUIET};margin-top:6px">{closing}</div>')
    return f'<div lang="{lang}">{"".join(parts)}</div>'


def _text(text: str) -> str:
    shown = escape(printable(text)).replace("\n", "<br>")
    return shown.replace("  ", "&nbsp;&nbsp;")
