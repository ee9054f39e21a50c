"""``batch --pages``: the graded notebook of everyone who handed one in, beside the student's report."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from pathlib import Path

from grader.commands.annotated import Changed, NoNotebook, page_of, require
from grader.commands.class_files import PAGE, ReportFiles
from grader.commands.class_run import MISSING
from grader.commands.console import note, write_atomically
from grader.commands.setting import Setting, assignment_named
from grader.errors import GraderError, NotGradable, UsageError
from grader.model.course import Assignment
from grader.model.outcome import Status
from grader.reports.untrusted import one_line
from grader.store import Store

_NO_PATHS: Mapping[str, Path] = {}


def ready() -> None:
    """Raises ``UsageError`` where pages cannot be made here at all."""
    require("--pages")


def write_pages(
    setting: Setting,
    store: Store,
    out: Path,
    *,
    pseudonyms: bool,
    paths: Mapping[str, Path] = _NO_PATHS,
    only: Container[str] | None = None,
) -> None:
    """Write each page that is not there: a report that is made anew takes its page away, so what is there holds.

    One that cannot be written is named and stops nothing. ``paths``: where hand-ins lie, by submission, if not where
    they lay when they were graded; ``only``: these submissions alone.
    """
    try:
        ready()
        assignment = assignment_named(setting.course(), store.fact("assignment") or "")
    except GraderError as wrong:
        note(f"no page of a notebook was written: {wrong}")
        return
    lie = {each.submission: Path(each.origin) for each in store.handed_in() if each.digest != MISSING}
    folders = ReportFiles(out, store, "full", pseudonyms=pseudonyms).folders(lie)
    written = 0
    for submission, folder in folders.items():
        place = out / "reports" / folder
        if (place / PAGE).exists() or (only is not None and submission not in only):
            continue
        why = _write(setting, assignment, paths.get(submission, lie[submission]), place)
        written += why == ""
        if why:
            note(one_line(f"no {PAGE} for {submission}: {why}", limit=400))
    if written:
        note(f"graded notebooks written as pages ({PAGE} beside the report): {written}")


def _write(setting: Setting, assignment: Assignment, path: Path, place: Path) -> str | None:
    """Why there is no page; empty where there is one now, None where none is wanted."""
    ending = path.suffix
    try:
        document = json.loads((place / "student.json").read_text(encoding="utf-8"))  # so it shows what that shows
        ending = next((Path(file["path"]).suffix for file in document["submission"]["files"]), ending)
        if document["status"] == Status.NOT_GRADABLE:
            raise UsageError(document["reason"] or "it could not be graded")
        text = page_of(setting, path, assignment, document, lang=document["lang"])
        write_atomically(place / PAGE, text.encode(), durable=False)
    except NoNotebook:
        return None
    except Changed:
        return f"what lies at {path} is no longer what was graded"
    except (NotGradable, OSError, UsageError) as wrong:
        return None if ending.lower() == ".py" else str(wrong)
    except Exception as wrong:  # a student's notebook, and ever so many ways to be odd: no other waits for it
        return f"it cannot be shown ({type(wrong).__name__})"
    return ""
