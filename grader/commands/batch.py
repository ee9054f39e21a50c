"""``grader batch``: a folder of submissions, graded one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.commands.console import columns, note, say, write_atomically
from grader.commands.exits import Exit, exit_for
from grader.commands.folder_names import folder_names
from grader.commands.gradebook import grades_csv
from grader.commands.phrases import phrase
from grader.commands.seeds import settle_seed
from grader.commands.setting import Setting, assignment_named
from grader.document import dump, for_student
from grader.errors import UsageError
from grader.model import Job
from grader.reports import markdown
from grader.reports.untrusted import one_line
from grader.reports.words import STATUSES, marks

_LEFT_BEHIND = frozenset({"__macosx", "__pycache__", "desktop.ini", "thumbs.db"})  # by file managers, not students


@dataclass(frozen=True, slots=True)
class Request:
    """A class to grade: ``drop`` holds one folder or file a submission, ``out`` takes grades and reports."""

    drop: Path
    assignment: str
    out: Path
    seed: int | None = None
    feedback: str | None = None  # None: what course.yaml shows before the deadline
    practice: bool = False


def run(setting: Setting, request: Request) -> Exit:
    """Grade all, write each report as it comes and the grades at the end, then show the table."""
    course = setting.course()
    assignment = assignment_named(course, request.assignment)
    drop, out = (setting.folder / request.drop).resolve(), (setting.folder / request.out).resolve()
    entries = _entries(drop, out)
    names = folder_names(entries)
    seed = settle_seed(request.seed)
    feedback = request.feedback or course.before_deadline
    jobs = [Job(str(path), assignment.name, seed, setting.lang, name, (name,)) for name, path in entries.items()]
    documents = []
    with setting.engine(practice=request.practice) as engine:
        for job, document in engine.map(jobs):
            _write_reports(out / "reports" / names[job.submission_id], document, feedback, setting.lang)
            documents.append(document)
            _progress(len(documents), len(jobs))
    _write(out / "grades.csv", grades_csv(documents, [c.id for c in assignment.criteria]))
    _table(documents, setting.lang)
    say(f"{request.out / 'grades.csv'}")
    say(f"{request.out / 'reports'}/")
    return exit_for(document["status"] for document in documents)


def _entries(drop: Path, out: Path) -> dict[str, Path]:
    """Submission id to path, in order. Raises ``UsageError`` where there is nothing to grade."""
    if not drop.is_dir():
        raise UsageError(f"{drop} is no folder; batch grades a folder with one file or folder a submission")
    if out.is_relative_to(drop):
        raise UsageError(f"--out {out} lies inside the drop; its reports would be graded as submissions")
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file")
    found = [p for p in sorted(drop.iterdir()) if not p.name.startswith(".") and p.name.lower() not in _LEFT_BEHIND]
    if not found:
        raise UsageError(f"{drop} is empty; batch grades a folder with one file or folder a submission")
    short = [_id(path) for path in found]
    ids = [name if short.count(name) == 1 else path.name for name, path in zip(short, found, strict=True)]
    return dict(zip(ids, found, strict=True))


def _id(path: Path) -> str:
    return path.name if path.is_dir() else path.stem.removesuffix(".tar")


def _write_reports(folder: Path, document: Mapping[str, Any], feedback: str, lang: str) -> None:
    student = for_student(document, feedback=feedback)
    _write(folder / "report.json", dump(document))
    _write(folder / "student.json", dump(student))
    _write(folder / "report.md", markdown.render(student, lang=lang))


def _write(target: Path, text: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, text.encode())
    except OSError as wrong:
        raise UsageError(f"cannot write {target}: {wrong.strerror or wrong}") from None


def _progress(done: int, of: int) -> None:
    """A line for every tenth of the class; nothing is redrawn."""
    if done == of or done * 10 // of > (done - 1) * 10 // of:
        note(f"graded {done} of {of}")


def _table(documents: list[dict[str, Any]], lang: str) -> None:
    rows = []
    for document in documents:
        graded = document["score"] is not None
        score = f"{marks(document['score'])} / {marks(document['max_score'])}" if graded else "-"
        rows.append((one_line(document["submission"]["id"], limit=40), score, _remarkable(document, lang)))
    for line in columns(rows):
        say(line)
    if any(document["isolation"]["level"] != "isolated" for document in documents):
        note("practice: no isolation was proven, so these marks must not go into a gradebook (grader doctor says more)")


def _remarkable(document: Mapping[str, Any], lang: str) -> str:
    """The criteria that lost marks, or why there are none."""
    if document["score"] is None:
        return f"{STATUSES[document['status']].pick(lang)}: {one_line(document['reason'] or '', limit=100)}"
    lost = [c["id"] for c in document["criteria"] if c["points"] < c["max_points"]]
    nothing = len(lost) > 1 and not any(c["points"] for c in document["criteria"])
    return phrase("everything", lang) if nothing else " ".join(lost)
