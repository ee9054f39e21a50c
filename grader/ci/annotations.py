"""Remarks on a student's own lines, and how the runner of GitHub is told of them without being told anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.model.course import Text
from grader.reports.outline import place, rubric, why
from grader.reports.untrusted import one_line
from grader.reports.words import marks

MOST = 10  # of each kind in a step; GitHub drops what is more without a word
ERROR, WARNING, NOTICE = "error", "warning", "notice"
_MESSAGE_LIMIT = 600
_TITLE_LIMIT = 100
_MORE = Text("{count} more like this stand in the summary", "另有 {count} 条，见摘要")
_WITHOUT_MARKS = Text("public check", "公开检查")

LineOf = Callable[[str, int, int], int]  # a notebook's path, cell and line -> its line in the file


@dataclass(frozen=True, slots=True)
class Annotation:
    """Something said about a line. ``path`` is the file's place in the repository, "" where there is none."""

    kind: str
    title: str
    message: str
    path: str = ""
    line: int = 1
    weight: float = 0.0  # marks: what costs most is said first

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "title": self.title, "message": self.message, "path": self.path, "line": self.line}


def remarks_on(document: Mapping[str, Any], home: str, line_of: LineOf, lang: str) -> list[Annotation]:
    """What a student's form says about lines: each loss at its own place, else at the function it is about."""
    functions = {each["name"]: each["place"] for each in document["definitions"] if each["place"]}
    found = [_of_loss(document, loss, functions, home, line_of, lang) for loss in rubric(document, lang).lost]
    for flag in document["flags"]:
        spot = flag if "file" in flag else None
        said = f"{flag['kind']}: {flag['detail']}"
        found.append(_at(WARNING, document["title"], said, spot, home, line_of, lang, flag["costs"]))
    for remark in document["remarks"]:
        spot = remark if "file" in remark else None
        found.append(_at(NOTICE, document["title"], remark["text"], spot, home, line_of, lang, 0.0))
    return found


def chosen(found: Iterable[Annotation], lang: str) -> list[Annotation]:
    """At most `MOST` of each kind, what costs most first; the last then says how many more there are."""
    kept: list[Annotation] = []
    every = sorted(found, key=lambda each: -each.weight)
    for kind in (ERROR, WARNING, NOTICE):
        these = [each for each in every if each.kind == kind]
        if len(these) > MOST:
            more = _MORE.pick(lang).format(count=len(these) - MOST + 1)
            these = [*these[: MOST - 1], Annotation(kind, "...", more)]
        kept += these
    return kept


def commands(found: Sequence[Annotation]) -> list[str]:
    """One workflow command a line. Whatever the texts hold, it stays one command, and this one."""
    return [_command(each) for each in found]


def _command(each: Annotation) -> str:
    facts = {"file": each.path, "line": str(each.line) if each.path else "", "title": each.title}
    said = ",".join(f"{name}={_property(value)}" for name, value in facts.items() if value)
    return f"::{each.kind} {said}::{_data(each.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _of_loss(
    document: Mapping[str, Any], loss: Any, functions: Mapping[str, Any], home: str, line_of: LineOf, lang: str
) -> Annotation:
    tests = [test for trouble in loss.troubles for test in trouble.tests]
    spots = [test["place"] for test in tests if test["place"]]
    spots += [functions[test["function"]] for test in tests if test["function"] in functions]
    if not spots:
        spots = [functions[name] for name in sorted(functions)][:1]
    lost = sum((line.max_points or 0) - (line.points or 0) for line in loss.lines)
    share = f"-{marks(lost)}" if any(line.points is not None for line in loss.lines) else _WITHOUT_MARKS.pick(lang)
    names = ", ".join(line.title for line in loss.lines)
    said = why(loss.troubles[0], lang) if loss.troubles else ""
    hint = loss.lines[0].hint if len(loss.lines) == 1 else ""
    gap = "" if not said or said[-1] in ".?!。？！" else ". "
    spoken = f"{said}{gap or ' '}{hint}".strip() if hint else said or names
    title = f"{document['title'] or document['assignment']}: {names} ({share})"
    return _at(ERROR, title, spoken, spots[0] if spots else None, home, line_of, lang, lost)


def _at(
    kind: str, title: str, said: str, spot: Mapping[str, Any] | None, home: str, line_of: LineOf, lang: str,
    weight: float,
) -> Annotation:  # fmt: skip
    message, title = one_line(said, limit=_MESSAGE_LIMIT), one_line(title, limit=_TITLE_LIMIT)
    if not spot:
        return Annotation(kind, title, message, weight=weight)
    path = one_line(f"{home}/{spot['file']}" if home else spot["file"])
    line = spot["line"]
    if spot.get("cell"):
        message = f"{one_line(place(spot, lang), limit=_TITLE_LIMIT)}: {message}"
        line = line_of(spot["file"], spot["cell"], spot["line"])
    return Annotation(kind, title, message, path, line, weight)
