"""``grader export``: the marks of a class in the sheet that a platform takes, and the reports it hands back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from grader.commands.class_files import EXPORTS, ReportFiles
from grader.commands.class_out import ClassOut
from grader.commands.class_people import request_of
from grader.commands.class_run import MISSING
from grader.commands.console import columns, note, say, write_atomically
from grader.commands.exits import Exit
from grader.commands.setting import Setting, advice
from grader.errors import UsageError
from grader.gradebook.feedback import feedback_zip
from grader.gradebook.sheets import NAMES, Filled, Wanted, fill_sheet
from grader.model.report import Standing
from grader.reports.untrusted import one_line
from grader.store import Store, open_store, rubric_from

# Which of a student's reports goes back. Canvas shows a file under the name of the student's own, whatever it holds:
# that has to be readable as text.
_TAKES_BACK: Mapping[str, str] = MappingProxyType({"canvas": "report.md", "moodle": "report.html"})
_SHEET_LIMIT = 100_000_000  # bytes
_LINE = 4_000  # characters


@dataclass(frozen=True, slots=True)
class Request:
    """Which sheet, from which class, and what a person says about it."""

    out: Path
    platform: str
    template: Path | None = None  # the platform's own sheet, as it was downloaded
    target: Path | None = None  # None: OUT/exports/<platform>.csv
    column: str = ""
    scale: bool = False
    feedback: Path | None = None  # a .zip to write, of the students' reports
    dry_run: bool = False


def run(setting: Setting, request: Request) -> Exit:
    """Write the sheet, say every change, and list whom it misses. 1 where a mark found no place.

    Raises:
        UsageError: the sheet, the maximum or the class is not what it should be; nothing is written then.
    """
    if request.platform not in NAMES:
        raise UsageError(f"there is no export to {request.platform!r}{advice(request.platform, NAMES)}")
    folder = setting.folder / request.out
    template = None if request.template is None else setting.folder / request.template
    target = _target(setting, request, folder, template)
    with open_store(folder) as store:
        standings = _standings(store, request.out)
        wanted = _wanted(store, request)
        archive = _feedback(store, request, folder) if request.feedback else None
        alone = archive is not None and template is None  # the reports without a sheet
        filled = Filled(b"") if alone else fill_sheet(request.platform, standings, wanted, _read(template))
    _tell(filled)
    if request.dry_run:
        say("nothing was written (--dry-run)")
        return _exit(filled)
    if not alone:
        _write(target, filled.data)
        say(f"{target}")
    if archive is not None and request.feedback is not None:
        _write(setting.folder / request.feedback, archive)
        say(f"{setting.folder / request.feedback}")
    return _exit(filled)


def _standings(store: Store, out: Path) -> list[Standing]:
    """Everybody's row as it counts: by the rubric, by hand, as published."""
    request_of(store, out)
    standings = ClassOut(store).standings()
    if any(standing.practice for standing in standings):
        raise UsageError("these marks were made for practice, without proof of isolation; no gradebook takes them")
    return standings


def _wanted(store: Store, request: Request) -> Wanted:
    title = rubric_from(store.fact("rubric") or "").title
    return Wanted(store.fact("assignment") or "", (title.en, title.zh), request.column, request.scale)


def _target(setting: Setting, request: Request, folder: Path, template: Path | None) -> Path:
    """Where the sheet goes. Raises ``UsageError`` where that is the template, or a file of the class itself."""
    if request.target is not None:
        target = setting.folder / request.target
    else:
        target = folder / EXPORTS / f"{request.platform}{_ending(template)}"
    for place in filter(None, (target, request.feedback and setting.folder / request.feedback)):
        if template is not None and _same(place, template):
            raise UsageError(f"{place} is the template, which stays as it is; name another file with --output")
        if _same(place.parent, folder) and place.exists():
            raise UsageError(f"{place} is a file of the class; name another with --output, such as {EXPORTS}/x.csv")
        if place.is_dir():
            raise UsageError(f"{place} is a folder; name a file with --output")
    return target


def _ending(template: Path | None) -> str:
    """Blackboard's tables end with .xls though they are text, and are taken back so."""
    return template.suffix if template is not None and template.suffix.isascii() and template.suffix else ".csv"


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.abspath(one) == os.path.abspath(other)


def _read(template: Path | None) -> tuple[str, bytes] | None:
    if template is None:
        return None
    try:
        if template.stat().st_size > _SHEET_LIMIT:
            raise UsageError(f"--template {template} is far too big for a sheet of marks")
        return template.name, template.read_bytes()
    except OSError as wrong:
        raise UsageError(f"--template {template} cannot be read: {wrong.strerror or wrong}") from None


def _feedback(store: Store, request: Request, folder: Path) -> bytes:
    """The students' reports of this platform's hand-ins; never a staff form.

    Raises:
        UsageError: the platform takes none, the hand-ins are another's, or a report is gone.
    """
    if request.platform not in _TAKES_BACK:
        raise UsageError(f"--feedback: there is an archive for {' and '.join(_TAKES_BACK)} alone")
    files = ReportFiles(folder, store, "full", pseudonyms=request_of(store, folder).pseudonyms)
    every = [each.submission for each in store.handed_in() if each.digest != MISSING]
    folders, file = files.folders(every), _TAKES_BACK[request.platform]
    back = {seat.submission: seat.accounts.get("back", "") for seat in store.seats()
            if seat.accounts.get("platform") == request.platform}  # fmt: skip
    if not back:
        raise UsageError(f"--feedback: nothing here was handed in through {request.platform}")
    without = [submission for submission in every if not back.get(submission)]
    if without:
        shown = ", ".join(without)
        note(one_line(f"{len(without)} get no file back, since {request.platform} has no place for it: {shown}",
                      limit=_LINE))  # fmt: skip
    return feedback_zip((back[s] + file, _report(folder / "reports" / folders[s] / file)) for s in every if back.get(s))


def _report(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise UsageError(f"{path} is not there; run 'grader batch' again to have it written") from None


def _tell(filled: Filled) -> None:
    """Each change, what stays, and who is missed on either side."""
    if filled.column:
        say(f"filled: the column {one_line(filled.column)!r}")
    rows = [(f"  line {c.line}", one_line(c.who, limit=60), f"{one_line(c.old) or '(empty)'} -> {c.new}")
            for c in filled.changes]  # fmt: skip
    for line in columns(rows):
        say(line)
    if filled.column:
        comments = f", {filled.comments} comments" if filled.comments else ""
        say(f"{len(filled.changes)} marks change, {filled.unchanged} stay{comments}")
    for line in filled.notes:
        say(one_line(line, limit=_LINE))


def _exit(filled: Filled) -> Exit:
    return Exit.NOT_ENOUGH if filled.unsettled else Exit.DONE


def _write(target: Path, data: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, data)
    except OSError as wrong:
        raise UsageError(f"cannot write {target}: {wrong.strerror or wrong}") from None
