"""The report for a terminal: score first, then what to read first, what was lost and why, then what held."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text as Styled

from grader.document import is_student_form
from grader.model.outcome import Outcome, Status
from grader.reports.glyphs import Glyphs, encodable, glyphs_for
from grader.reports.outline import (
    ENTRIES_SHOWN,
    Line,
    Loss,
    Rubric,
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

_TROUBLES_SHOWN = 4  # of one criterion, in the student's form
_OUTPUT_LINES = 20
_BAR = 20
_LABEL = 6  # cells, so that why, where and next stand under each other
_NARROW = 60  # cells; below, titles start at the edge again
_UNLIMITED = 100_000


def render(
    document: Mapping[str, Any],
    *,
    lang: str,
    width: int = 80,
    color: bool = False,
    plain: bool = False,
    encoding: str | None = "utf-8",
) -> str:
    """Lines of at most ``width`` cells (``plain``: one line a fact, no boxes), encodable in ``encoding``."""
    page = Page(lang, glyphs_for("ascii" if plain else encoding), width=width, color=color, plain=plain)
    _head(page, document)
    _remarks(page, document)
    _diagnosis(page, document)
    found = rubric(document, lang)
    _lost(page, document, found)
    _held(page, found)
    _flags(page, document)
    if not is_student_form(document):
        _staff(page, document)
    return encodable(page.text(), encoding)


class Page:
    """What has been written so far, in one look for boxed, plain and coloured terminals."""

    def __init__(self, lang: str, glyphs: Glyphs, *, width: int, color: bool, plain: bool) -> None:
        self.lang, self.glyphs, self.plain = lang, glyphs, plain
        self._sheet = StringIO()
        self._console = Console(
            file=self._sheet,
            width=_UNLIMITED if plain else max(width, 30),
            force_terminal=color,
            color_system="standard" if color else None,
            no_color=not color,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
            _environ={},
        )

    def say(self, text: str, style: str = "", indent: int = 0) -> None:
        """One paragraph; only text made `printable` before may come here."""
        self._console.print(Padding(Styled(text, style=style), (0, 0, 0, indent), expand=False))

    def gap(self) -> None:
        self._console.print()

    def heading(self, text: str, style: str = "bold") -> None:
        self.gap()
        self.say(text, style)

    def field(self, label: str, text: str, *, indent: int = 4, style: str = "") -> None:
        """``label  text``, continued lines under the text."""
        if self.plain:
            self.say(f"{label}: {text}", style, indent=2)
            return
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True, min_width=_LABEL)
        grid.add_column(style=style, overflow="fold")
        grid.add_row(label, Styled(text, style=style))
        self._console.print(Padding(grid, (0, 0, 0, indent), expand=False))

    def entry(self, name: str, title: str, style: str) -> None:
        """``name  title``, a long title continued under itself."""
        if self.plain or self._console.width < _NARROW:
            self.say(f"{name}  {title}", style)
            return
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row(Styled(name, style=style), Styled(title, style=style))
        self._console.print(grid)

    def panel(self, title: str, text: str, style: str) -> None:
        """A box around something that must not be missed; in plain lines, title and text."""
        if self.plain:
            self.heading(title)
            self.say(text, indent=2)
            return
        self.gap()
        frame = box.ROUNDED if self.glyphs.boxes else box.ASCII
        body: RenderableType = Styled(text)
        self._console.print(Panel(body, title=Styled(title, style=f"bold {style}"), title_align="left", box=frame,
                                  border_style=style))  # fmt: skip

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._sheet.getvalue().splitlines()) + "\n"


def _head(page: Page, document: Mapping[str, Any]) -> None:
    submission = document["submission"]
    names = [one_line(document["title"]) or document["assignment"], one_line(submission["id"], limit=120)]
    if submission["fingerprint"]:
        names.append(f"{word('fingerprint', page.lang)} {one_line(submission['fingerprint'])}")
    page.say("  ".join(names), "bold")
    if document["score"] is not None:
        page.say(_score_line(page, document["score"], document["max_score"]), "bold")
    elif document["status"] == Status.GRADED:
        passed = sum(test["outcome"] == Outcome.PASSED for test in document["tests"])
        page.say(word("public_passed", page.lang, passed=passed, all=len(document["tests"])), "bold")
    else:
        page.say(f"{word('status', page.lang)}: {STATUSES[document['status']].pick(page.lang)}", "bold red")
    marked = document["score"] is not None or not is_student_form(document)
    if marked and document["isolation"]["level"] != "isolated":
        page.say(word("practice", page.lang), "yellow")
    if said := reason(document):
        page.say(printable(said))
    for line in late_lines(document, page.lang):
        page.say(one_line(line))


def _score_line(page: Page, score: float, most: float) -> str:
    said = f"{word('score', page.lang)} {marks(score)} / {marks(most)}"
    if page.plain or not most:
        return said
    full = int(_BAR * score / most)
    return f"{said}  {page.glyphs.full * full}{page.glyphs.empty * (_BAR - full)}"


def _remarks(page: Page, document: Mapping[str, Any]) -> None:
    if not document["remarks"]:
        return
    page.heading(word("remarks", page.lang), "bold yellow")
    for remark in document["remarks"][:ENTRIES_SHOWN]:
        spot = one_line(place(remark, page.lang))
        if spot:
            page.say(f"{spot}", "bold", indent=2)
        page.say(printable(remark["text"]), indent=4 if spot else 2)

    if left := entries_left(document["remarks"]):
        page.say(word("more_of_these", page.lang, count=left), indent=2)


def _diagnosis(page: Page, document: Mapping[str, Any]) -> None:
    for finding in document["diagnosis"]:
        text = printable(finding["text"])
        facts = [word("explains", page.lang, **finding)] if finding["of"] else []
        if finding["score_if_mended"] is not None:
            mended, most = marks(finding["score_if_mended"]), marks(document["max_score"])
            facts.append(word("mended", page.lang, score=mended, max=most))
        lines = [text, *map(printable, finding.get("examples", [])), *([one_line("; ".join(facts))] if facts else [])]
        page.panel(word("diagnosis", page.lang), "\n".join(lines), "cyan")


def _lost(page: Page, document: Mapping[str, Any], found: Rubric) -> None:
    if found.lost:
        page.heading(found.lost_heading)
    for loss in found.lost:
        _loss(page, document, loss)


def _loss(page: Page, document: Mapping[str, Any], loss: Loss) -> None:
    for line in loss.lines:
        sign = page.glyphs.part if line.points else page.glyphs.lost
        page.entry(f"{sign} {_points(line)}{line.id}", one_line(line.title), "bold red")
    staff = not is_student_form(document)
    shown = loss.troubles if staff else loss.troubles[:_TROUBLES_SHOWN]
    for trouble in shown:
        _trouble(page, trouble, staff=staff)
    if len(shown) < len(loss.troubles):
        page.say(word("further", page.lang, count=len(loss.troubles) - len(shown)), indent=4)
    first = loss.lines[0]
    if first.hint and len(loss.lines) == 1:
        page.field(word("next", page.lang), printable(first.hint), style="green")
    command = f"grader hint {document['assignment']} {first.id}"
    page.say(word("more", page.lang, command=command), "dim", indent=2 if page.plain else 4)


def _trouble(page: Page, trouble: Trouble, *, staff: bool) -> None:
    count = f"  ({word('checks', page.lang, count=trouble.count)})" if trouble.count > 1 else ""
    page.field(word("why", page.lang), printable(why(trouble, page.lang)) + count)
    if trouble.where:
        page.field(word("where", page.lang), one_line(trouble.where), style="bold")
    for test in trouble.tests if staff else ():
        page.say(one_line(test["id"]), "dim", indent=6)
        if test["detail"]:
            page.say(printable(test["detail"]), "dim", indent=8)


def _held(page: Page, found: Rubric) -> None:
    if found.held:
        page.heading(found.held_heading)
    for line in found.held:
        page.entry(f"{page.glyphs.held} {_points(line)}{line.id}", one_line(line.title), "green")


def _points(line: Line) -> str:
    if line.points is None or line.max_points is None:
        return ""
    return f"{marks(line.points)}/{marks(line.max_points)}  "


def _flags(page: Page, document: Mapping[str, Any]) -> None:
    if not document["flags"]:
        return
    page.heading(word("flags", page.lang))
    for flag in document["flags"][:ENTRIES_SHOWN]:
        costs = word("costs", page.lang, marks=marks(flag["costs"])) if flag["costs"] else ""
        said = (one_line(flag["kind"]), printable(flag["detail"]), one_line(place(flag, page.lang)), costs)
        page.say("  ".join(part for part in said if part), indent=2)
    if left := entries_left(document["flags"]):
        page.say(word("more_of_these", page.lang, count=left), indent=2)


def _staff(page: Page, document: Mapping[str, Any]) -> None:
    walls = ", ".join(document["isolation"]["walls"]) or "-"
    page.heading(word("staff", page.lang))
    page.field(word("seed", page.lang), str(document["seed"]), indent=2)
    page.field(word("walls", page.lang), f"{document['isolation']['level']} ({one_line(walls)})", indent=2)
    output = document["output"]
    for stream in ("stdout", "stderr"):
        if output[stream]:
            cut = f" ({word('truncated', page.lang)})" if output["truncated"] else ""
            page.say(f"{word('output', page.lang)}: {stream}{cut}", "dim", indent=2)
            page.say(_tail(output[stream]), "dim", indent=4)


def _tail(text: str) -> str:
    lines = printable(text).splitlines()
    left = len(lines) - _OUTPUT_LINES
    return "\n".join(lines[:_OUTPUT_LINES] + ([f"[... +{left}]"] if left > 0 else []))
