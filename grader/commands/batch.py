"""``grader batch``: a class, in whatever layout it came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.commands.class_in import ClassIn, Wanted, read_class
from grader.commands.console import columns, note, say, write_atomically
from grader.commands.exits import Exit, exit_for
from grader.commands.folder_names import folder_names
from grader.commands.gradebook import grades_csv
from grader.commands.phrases import phrase
from grader.commands.seeds import settle_seed
from grader.commands.setting import Setting, assignment_named
from grader.document import clean, dump, for_student
from grader.errors import UsageError
from grader.model import Flag, Job, Status
from grader.reports import markdown
from grader.reports.untrusted import one_line
from grader.reports.words import STATUSES, marks


@dataclass(frozen=True, slots=True)
class Request:
    """A class to grade: ``drop`` is what the platform gave, ``out`` takes grades and reports."""

    drop: Path
    assignment: str
    out: Path
    seed: int | None = None
    feedback: str | None = None  # None: what course.yaml shows before the deadline
    practice: bool = False
    layout: str = ""  # "": seen from the names
    pattern: str = ""
    roster: Path | None = None
    told: Path | None = None  # a filled-in map.csv


def run(setting: Setting, request: Request) -> Exit:
    """Grade all, write each report as it comes and the grades at the end, then show the table."""
    course = setting.course()
    assignment = assignment_named(course, request.assignment)
    drop, out = (setting.folder / request.drop).resolve(), (setting.folder / request.out).resolve()
    _check_out(drop, out)
    wanted = Wanted(drop, out, assignment, request.layout, request.pattern,
                    _beside(setting, request.roster), _beside(setting, request.told))  # fmt: skip
    found = read_class(wanted)
    for line in found.mapping:
        note(one_line(line, limit=300))
    names = folder_names(found.paths)
    seed = settle_seed(request.seed)
    feedback = request.feedback or course.before_deadline
    jobs = [
        Job(str(path), assignment.name, seed, setting.lang, name, found.students[name])
        for name, path in found.paths.items()
    ]
    documents = []
    with setting.engine(practice=request.practice) as engine:
        for job, document in engine.map(jobs):
            _complete(document, job.submission_id, found, setting.lang)
            _write_reports(out / "reports" / names[job.submission_id], document, feedback, setting.lang)
            documents.append(document)
            _progress(len(documents), len(jobs))
    sheet = [*documents, *found.missing(seed, setting.lang)]
    _write(out / "grades.csv", grades_csv(sheet, [c.id for c in assignment.criteria], found.people))
    _table(documents, setting.lang)
    say(f"{request.out / 'grades.csv'}")
    say(f"{request.out / 'reports'}/")
    return exit_for(document["status"] for document in documents)


def _check_out(drop: Path, out: Path) -> None:
    if drop.is_dir() and out.is_relative_to(drop):
        raise UsageError(f"--out {out} lies inside the drop; its reports would be graded as submissions")
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file")


def _beside(setting: Setting, path: Path | None) -> Path | None:
    return None if path is None else setting.folder / path


def _complete(document: dict[str, Any], submission: str, found: ClassIn, lang: str) -> None:
    """Put in what was noticed before anything was graded."""
    document["flags"] = [*document["flags"], *as_flags(found.flags.get(submission, ()))]
    reason = found.reasons.get(submission)
    if reason is not None and document["status"] == Status.NOT_GRADABLE:
        document["reason"] = reason.pick(lang)


def as_flags(flags: Iterable[Flag]) -> list[dict[str, Any]]:
    """Flags in the form of the report."""
    return [{"kind": f.kind, "detail": clean(f.detail), "costs": 0.0} for f in flags]


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
