"""Telling of a graded change: report files, the job's summary, remarks on lines, what later steps may read."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.ci import summary
from grader.ci.annotations import Annotation, chosen, commands, remarks_on
from grader.ci.notebook_lines import NotebookLines
from grader.ci.summary import Told
from grader.commands.ci_change import Change
from grader.commands.ci_grading import Graded
from grader.commands.console import note, say, write_document
from grader.commands.setting import Setting
from grader.document import dump
from grader.intake.found import NOTEBOOK_LIMIT, read_regular
from grader.model.course import Audience
from grader.model.submission import Flag
from grader.reports import junit
from grader.reports.untrusted import one_line

SCHEMA = "grader.ci/1"


def tell(
    setting: Setting, out: Path | None, environment: Mapping[str, str], change: Change, graded: Sequence[Graded],
    audience: Audience, said: Sequence[Annotation],
) -> None:  # fmt: skip
    """Write ``out`` where it is asked for, then what GitHub's variables ask for, then a few lines for the log."""
    lang = setting.lang
    if out is not None:
        _write_out(setting.folder / out, change, graded, said, lang)
    staff = audience is Audience.STAFF
    shown = [Told(each.student["title"], each.staff if staff else each.student) for each in graded]
    text = summary.summary(change.head, shown, lang, notes=change.notes, flags=_flags(change, graded) if staff else ())
    on_github = environment.get("GITHUB_ACTIONS") == "true"
    _append(environment.get("GITHUB_STEP_SUMMARY"), text)
    _append(environment.get("GITHUB_OUTPUT"), _outputs(graded))
    if on_github:
        for line in commands(said):
            say(line)
    with _no_commands(on_github):
        for each in shown:
            say(f"{one_line(each.title)}: {summary.result(each.document, lang)}")
        for line in (*change.notes, *(() if shown else (summary.headline((), lang),))):
            say(one_line(line))


def line_remarks(graded: Sequence[Graded], lang: str) -> list[Annotation]:
    """What may be said about a student's own lines; has to be asked while the files are there."""
    found: list[Annotation] = []
    for each in graded:
        lines = _Lines(each.touched.folder)
        found += remarks_on(each.student, each.touched.home, lines.line, lang)
    return chosen(found, lang)


class _Lines:
    """The lines of the notebooks of one hand-in, each read when first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, NotebookLines] = {}

    def line(self, path: str, cell: int, line: int) -> int:
        if path not in self._known:
            self._known[path] = self._lines(path)
        return self._known[path].line(cell, line)

    def _lines(self, path: str) -> NotebookLines:
        file = self._folder / path
        return NotebookLines(read_regular(file, NOTEBOOK_LIMIT) if file.is_file() else b"")


def _write_out(out: Path, change: Change, graded: Sequence[Graded], said: Sequence[Annotation], lang: str) -> None:
    """``staff/`` is for the course alone; everything else may be handed to the student."""
    for folder in (out / "staff", out / "student"):
        folder.mkdir(parents=True, exist_ok=True)
    for each in graded:
        name = f"{each.touched.assignment.name}.json"
        write_document(out / "staff" / name, dump(each.staff))
        write_document(out / "student" / name, dump(each.student))
    told = [Told(each.student["title"], each.student) for each in graded]
    write_document(out / "junit.xml", junit.render_all((each.student for each in graded), lang=lang))
    write_document(out / "summary.md", summary.summary(change.head, told, lang, notes=change.notes))
    write_document(
        out / "comment.md", summary.summary(change.head, told, lang, notes=change.notes, limit=summary.COMMENT_LIMIT)
    )
    write_document(out / "comment-without-marks.md", summary.without_marks(change.head, told, lang))
    facts = [Told(each.student["title"], each.staff) for each in graded]
    write_document(out / "staff" / "summary.md", summary.summary(change.head, facts, lang, notes=change.notes,
                                                                 flags=_flags(change, graded)))  # fmt: skip
    write_document(out / "result.json", json.dumps(_result(change, graded, said, told, lang), indent=1) + "\n")


def _flags(change: Change, graded: Sequence[Graded]) -> list[Flag]:
    return [*change.flags, *(flag for each in graded for flag in each.touched.flags)]


def _result(
    change: Change, graded: Sequence[Graded], said: Sequence[Annotation], told: Sequence[Told], lang: str
) -> dict[str, Any]:  # fmt: skip
    """What a posting job needs besides the texts; holds nothing a student may not see."""
    return {
        "schema": SCHEMA,
        "repository": change.asked.repository,
        "number": change.asked.number,
        "head": change.head,
        "base": change.base,
        "headline": summary.headline(told, lang),
        "lang": lang,
        "assignments": [
            {
                "name": each.touched.assignment.name,
                "status": each.student["status"],
                "score": each.student["score"],
                "max_score": each.student["max_score"],
            }
            for each in graded
        ],
        "annotations": [each.as_json() for each in said],
    }


def _outputs(graded: Sequence[Graded]) -> str:
    """For later steps: numbers and words of ours only, nothing that a student wrote."""
    scored = [each.student for each in graded if each.student["score"] is not None]
    facts = {
        "assignments": ",".join(each.touched.assignment.name for each in graded),
        "score": f"{sum(each['score'] for each in scored):g}" if scored else "",
        "max_score": f"{sum(each['max_score'] for each in scored):g}" if scored else "",
        "status": ",".join(str(each.student["status"]) for each in graded),
    }
    return "".join(f"{name}={value}\n" for name, value in facts.items())


def _append(path: str | None, text: str) -> None:
    """To a file that the service named; its own failure costs no grading."""
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as wrong:
        note(f"cannot write {path}: {wrong.strerror}")


@contextmanager
def _no_commands(on_github: bool) -> Iterator[None]:
    """Between these lines the runner takes nothing for a command, whatever a title or a name may hold."""
    token = secrets.token_hex(16)
    if on_github:
        say(f"::stop-commands::{token}")
    try:
        yield
    finally:
        if on_github:
            say(f"::{token}::")
