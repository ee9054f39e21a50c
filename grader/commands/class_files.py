"""The files that a class comes to: reports under their folder names, ``grades.csv``."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from grader.commands.class_out import ClassOut
from grader.commands.class_page import pages_of
from grader.commands.console import write_atomically
from grader.commands.folder_names import folder_names
from grader.document import dump, for_student
from grader.errors import UsageError
from grader.gradebook import long
from grader.gradebook.guard import guarded
from grader.gradebook.wide import grades_csv
from grader.reports import html, markdown
from grader.store import Store

Rows = Callable[[Mapping[str, Any], Iterable[str]], Iterable[tuple[str, ...]]]
FILES = ("report.json", "staff.html", "student.json", "report.md", "report.html")
PAGE = "notebook.html"  # the graded notebook, where `batch --pages` was asked for it
EXPORTS = "exports"  # sheets and archives for platforms
PSEUDONYMS = Path("private") / "pseudonyms.csv"


class ReportFiles:
    """Writes a submission's reports; leaves alone what is as it should be."""

    def __init__(self, out: Path, store: Store, feedback: str, *, pseudonyms: bool) -> None:
        self._out, self._store, self._feedback, self._pseudonyms = out, store, feedback, pseudonyms
        self._written: dict[str, str] = {}  # by submission: the digest of what its files show, not yet in the store

    def folders(self, submissions: Iterable[str]) -> dict[str, str]:
        """The folder of each submission: its id made safe, or a name that only ``private/`` explains."""
        ids = list(submissions)
        if not self._pseudonyms:
            return folder_names(ids)
        secret = self._store.fact("seed") or ""
        return {name: "s-" + hashlib.sha256(f"{secret}:{name}".encode()).hexdigest()[:12] for name in ids}

    def write(self, name: str, document: Mapping[str, Any]) -> None:
        """``report.json`` and ``staff.html`` for staff; the others to hand back. `note_written` makes it known."""
        submission = document["submission"]["id"]
        if self._pseudonyms:
            unnamed = {**document["submission"], "id": name, "students": [], "origin": ""}
            document = {**document, "submission": unnamed}
        facts = json.dumps(document)  # without indents: many times quicker
        digest = hashlib.sha256(f"{self._feedback}\0{name}\0{facts}".encode()).hexdigest()
        folder = self._out / "reports" / name
        noted = self._written.get(submission) or self._store.reported(submission)
        if noted == digest and all((folder / file).is_file() for file in FILES):
            return
        if noted:  # killed amidst, the files must not pass for what they were
            self._written.pop(submission, None)
            self._store.note_report(submission, "")
        (folder / PAGE).unlink(missing_ok=True)  # it shows what the report no longer does
        student = for_student(document, feedback=self._feedback)
        _write(folder / "report.json", dump(document), durable=False)
        _write(folder / "student.json", dump(student), durable=False)
        _write(folder / "report.md", markdown.render(student, lang=document["lang"]), durable=False)
        _write(folder / "staff.html", html.render(document, lang=document["lang"]), durable=False)
        _write(folder / "report.html", html.render(student, lang=document["lang"]), durable=False)
        self._written[submission] = digest

    def note_written(self) -> None:
        """Note what was written, best in a transaction with something else: each waits for the disk."""
        for submission, digest in self._written.items():
            self._store.note_report(submission, digest)
        self._written.clear()

    def write_all(self, documents: Iterable[Mapping[str, Any]], folders: Mapping[str, str]) -> None:
        """Every report that is not as it should be, and none of anybody else."""
        for document in documents:
            if document["submission"]["id"] in folders:
                self.write(folders[document["submission"]["id"]], document)
        with self._store.transaction():
            self.note_written()
        wanted, place = set(folders.values()), self._out / "reports"
        for folder in list(place.iterdir()) if place.is_dir() else []:
            if folder.name not in wanted:
                shutil.rmtree(folder)
        self._write_map(folders)

    def _write_map(self, folders: Mapping[str, str]) -> None:
        target = self._out / PSEUDONYMS
        if not self._pseudonyms:
            target.unlink(missing_ok=True)
            return
        target.parent.mkdir(exist_ok=True, mode=0o700)
        sheet = io.StringIO()
        rows = [("submission", "folder"), *((guarded(name), folder) for name, folder in folders.items())]
        csv.writer(sheet, lineterminator="\r\n").writerows(rows)
        _write(target, sheet.getvalue())
        os.chmod(target, 0o600)


def write_outputs(out: Path, store: Store, folders: Mapping[str, str], *, pseudonyms: bool) -> dict[str, Any]:
    """The tables and the page of the whole class, always made anew from the store; gives what `pages_of` tells."""
    found = ClassOut(store)
    facts, pages = pages_of(found, folders, store.fact("lang") or "en", pseudonyms=pseudonyms)
    for name, text in pages.items():
        _write(out / name, text)
    _write(out / "grades.csv", grades_csv(found.standings(), found.criteria))
    _write(out / "results.csv", _of_all(long.RESULTS, long.result_rows, found))
    _write(out / "flags.csv", _of_all(long.FLAGS, long.flag_rows, found))
    return facts


def _of_all(columns: Iterable[str], rows: Rows, found: ClassOut) -> Iterable[bytes]:
    """A table with the rows of every student, in the order of ``grades.csv``; one document in memory at a time."""
    every = (row for student, document in found.by_student() for row in rows(document, [student]))
    return long.pieces(columns, every)


def _write(target: Path, text: str | Iterable[bytes], *, durable: bool = True) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, text.encode() if isinstance(text, str) else text, durable=durable)
    except OSError as wrong:
        raise UsageError(f"cannot write {target}: {wrong.strerror or wrong}") from None
