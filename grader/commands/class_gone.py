"""``forget`` and ``purge``: a student's traces removed from everything that an output folder holds."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from grader.commands import batch
from grader.commands.class_files import EXPORTS, PSEUDONYMS, ReportFiles
from grader.commands.class_late import without_extensions
from grader.commands.class_notebooks import write_pages
from grader.commands.class_people import request_of, students_named
from grader.commands.console import note, say, write_atomically
from grader.commands.exits import Exit
from grader.commands.folder_names import folder_names
from grader.commands.setting import Setting
from grader.errors import UsageError
from grader.gradebook.guard import guarded
from grader.reports.untrusted import one_line
from grader.store import Seat, Store, open_store

_SHEETS = ("map.csv", str(PSEUDONYMS))


def run_forget(setting: Setting, out: Path, student: str) -> Exit:
    """Remove every trace of a student; 1 where a file of somebody else's making still names them."""
    folder = (setting.folder / out).resolve()
    with open_store(folder) as store:
        return _removed(setting, store, folder, students_named(store, student))


def run_purge(setting: Setting, out: Path, before: str) -> Exit:
    """The same for every student whose work was last graded before a day."""
    try:
        day = date.fromisoformat(before)
    except ValueError:
        raise UsageError(f"--before {before}: write a day as 2026-09-30") from None
    folder = (setting.folder / out).resolve()
    with open_store(folder) as store:
        old = [h.submission for h in store.handed_in() if _graded_on(store, h) < day.isoformat()]
        gone = [seat.student_id for seat in store.seats() if seat.submission in set(old)]
        if not gone:
            say("nobody to remove")
            return Exit.DONE
        return _removed(setting, store, folder, list(dict.fromkeys(gone)))


def _graded_on(store: Store, handed_in: Any) -> str:
    try:
        return store.result(handed_in.submission, handed_in.conditions, handed_in.digest).at[:10]
    except KeyError:  # published, and handed in anew since
        return min((p.at[:10] for p in store.published() if p.submission == handed_in.submission), default="9999")


def _removed(setting: Setting, store: Store, folder: Path, students: list[str]) -> Exit:
    request = request_of(store, folder)
    gone = set(students)
    seats = store.seats()
    words = {word for seat in seats if seat.student_id in gone for word in _names(seat)}
    alone = {s.submission for s in seats} - {s.submission for s in seats if s.student_id not in gone}
    shared = {s.submission for s in seats if s.student_id in gone} - alone
    every = [each.submission for each in store.handed_in()]
    staged, files = folder_names(every), ReportFiles(folder, store, "full", pseudonyms=request.pseudonyms)
    reports = files.folders(every)
    with store.transaction():
        for seat in seats:
            if seat.student_id in gone:
                store.forget(seat.submission, seat.student_id, alone=seat.submission in alone)
                if seat.submission not in alone:
                    store.rewrite_documents(seat.submission, lambda document: _without(document, gone))
        store.note(without_extensions(store, gone))
    store.wipe()
    for submission in alone:
        shutil.rmtree(folder / "reports" / reports[submission], ignore_errors=True)
        for copy in (folder / "staged").glob("*"):
            if copy.name.startswith(f"{staged[submission]}."):
                copy.unlink()
    for sheet in _SHEETS:
        _without_rows(folder / sheet, gone | alone)
    shutil.rmtree(folder / EXPORTS, ignore_errors=True)  # in encodings and archives that a search does not see through
    batch.write_class(store, request, request.feedback or setting.course().before_deadline)
    if request.pages:
        write_pages(setting, store, folder, pseudonyms=request.pseudonyms, only=shared)
    store.wipe()
    return _told(folder, students, words - {word for s in store.seats() for word in _names(s)}, request)


def _names(seat: Seat) -> Iterator[str]:
    accounts = (value for key, value in seat.accounts.items() if key != "platform")
    yield from filter(None, (seat.student_id, seat.submission, seat.name, seat.email, *accounts))


def _without(document: dict[str, Any], gone: set[str]) -> dict[str, Any]:
    submission = document["submission"]
    return {
        **document,
        "submission": {**submission, "students": [s for s in submission["students"] if s not in gone]},
    }


def _without_rows(sheet: Path, gone: set[str]) -> None:
    """The CSV without the rows that hold one of these as a cell."""
    if not sheet.is_file():
        return
    cells = gone | {guarded(each) for each in gone}
    rows = list(csv.reader(io.StringIO(sheet.read_text(encoding="utf-8"), newline="")))
    kept = io.StringIO()
    csv.writer(kept, lineterminator="\r\n").writerows(row for row in rows if not cells & set(row))
    mode = sheet.stat().st_mode & 0o777
    write_atomically(sheet, kept.getvalue().encode())
    sheet.chmod(mode)


def _told(folder: Path, students: list[str], words: set[str], request: batch.Request) -> Exit:
    """Say what is gone, and look whether any file of the folder still holds a name."""
    say(f"removed {', '.join(one_line(student, limit=40) for student in students)} from {folder}")
    say(f"what was handed in still lies where it came from: {request.drop}"
        + "".join(f"; so does {path}" for path in (request.roster, request.term, request.times) if path))  # fmt: skip
    needles = [word.encode() for word in words if len(word) > 2]
    left = [path for path in sorted(folder.rglob("*")) if path.is_file() and _holds(path, needles)]
    for path in left:
        note(f"still named in {path}; remove it, or make it anew")
    return Exit.NOT_ENOUGH if left else Exit.DONE


def _holds(path: Path, needles: list[bytes]) -> bool:
    data = path.read_bytes()
    return any(needle in data for needle in needles)
