"""One class's file. It belongs to one process at a time; every result is on disk before the next is asked for."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from grader.errors import UsageError
from grader.model.outcome import Status
from grader.store.facts import HandedIn, Kept, Override, Published, Seat
from grader.store.schema import bring_up_to_date

NAME = "grades.sqlite"


def open_store(folder: Path, *, new: bool = False) -> Store:
    """The store of an output folder.

    Raises:
        UsageError: there is none (and ``new`` does not ask for one), another process has it, or it cannot be read.
    """
    path = folder / NAME
    if not new and not path.is_file():
        raise UsageError(f"{folder} holds no {NAME}: it is no folder that 'grader batch' wrote")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return Store(path)
    except sqlite3.OperationalError as wrong:
        if "locked" in str(wrong):
            raise UsageError(f"another grader is at work in {folder}; wait until it is done") from None
        raise UsageError(f"{path} cannot be opened: {wrong}") from None
    except sqlite3.DatabaseError as wrong:
        raise UsageError(f"{path} is damaged or no database of the grader's: {wrong}") from None
    except OSError as wrong:
        raise UsageError(f"cannot write {path}: {wrong.strerror or wrong}") from None


class Store:
    """See `open_store`. The lock ends with the process, however it ends."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, isolation_level=None, timeout=1.0)
        try:
            # One process alone: then the write-ahead log needs no shared memory, and network folders serve as well.
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")  # proven to survive a loss of power, not a kill alone
            self._database.execute("PRAGMA secure_delete = ON")
            bring_up_to_date(self._database, str(path))
            with self.transaction():
                pass  # takes the lock
        except BaseException:
            self._database.close()
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def fact(self, name: str) -> str | None:
        """What is noted of the whole class under this name."""
        row = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def note(self, facts: Mapping[str, str]) -> None:
        self._database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())

    def keep(self, kept: Kept) -> None:
        """Write one finished grading; it is safe when this returns."""
        text = json.dumps(kept.document, ensure_ascii=False)
        self._database.execute(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (kept.submission, kept.conditions, kept.digest, kept.rubric, text, kept.seconds, kept.at,
             str(kept.document["status"])),
        )  # fmt: skip

    def graded(self, conditions: str) -> set[tuple[str, str]]:
        """Submissions with digests that need not be graded again: our own failures are tried again."""
        found = self._database.execute(
            "SELECT submission, digest FROM results WHERE conditions = ? AND status != ?",
            (conditions, Status.GRADER_FAULT),
        )
        return {(submission, digest) for submission, digest in found}

    def durations(self) -> dict[str, float]:
        """How long each submission took, the longest it ever did."""
        return dict(self._database.execute("SELECT submission, MAX(seconds) FROM results GROUP BY submission"))

    def result(self, submission: str, conditions: str, digest: str) -> Kept:
        """Raises ``KeyError`` where it was not graded."""
        row = self._database.execute(
            "SELECT rubric, document, seconds, at FROM results WHERE submission = ? AND conditions = ? AND digest = ?",
            (submission, conditions, digest),
        ).fetchone()
        if row is None:
            raise KeyError(submission)
        return Kept(submission, conditions, digest, row[0], json.loads(row[1]), row[2], row[3])

    def holds(self, handed_in: HandedIn) -> bool:
        """Whether there is anything to show of it."""
        key = (handed_in.submission, handed_in.conditions, handed_in.digest)
        found = self._database.execute(
            "SELECT 1 FROM results WHERE submission = ? AND conditions = ? AND digest = ?", key
        ).fetchone()
        return found is not None or self.published_document(handed_in.submission) is not None

    def put_class(self, handed_in: Iterable[HandedIn], seats: Iterable[Seat]) -> None:
        """The class as it is now, in place of what it was; call it in a `transaction`."""
        self._database.execute("DELETE FROM handed_in")
        self._database.execute("DELETE FROM seats")
        self._database.executemany(
            "INSERT INTO handed_in VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (h.submission, h.conditions, h.digest, h.origin, json.dumps([dict(f) for f in h.flags]), h.reason,
                 h.source, h.when)
                for h in handed_in
            ),
        )  # fmt: skip
        self._database.executemany(
            "INSERT INTO seats VALUES (NULL, ?, ?, ?, ?, ?)",
            ((s.submission, s.student_id, s.name, s.email, json.dumps(dict(s.accounts))) for s in seats),
        )

    def drop_unused(self) -> None:
        """Results that the class as it is now no longer shows, and reports of submissions that are gone."""
        self._database.execute(
            "DELETE FROM results WHERE NOT EXISTS (SELECT 1 FROM handed_in h WHERE h.submission = results.submission"
            " AND h.conditions = results.conditions AND h.digest = results.digest)"
        )
        self._database.execute("DELETE FROM reports WHERE submission NOT IN (SELECT submission FROM handed_in)")

    def handed_in(self) -> list[HandedIn]:
        found = self._database.execute(
            "SELECT submission, conditions, digest, origin, flags, reason, source, came FROM handed_in ORDER BY place"
        )
        return [HandedIn(s, c, d, o, tuple(json.loads(f)), r, src, w) for s, c, d, o, f, r, src, w in found]

    def seats(self) -> list[Seat]:
        found = self._database.execute("SELECT submission, student_id, name, email, accounts FROM seats ORDER BY place")
        return [Seat(s, i, n, e, json.loads(a)) for s, i, n, e, a in found]

    def override(self, given: Override) -> None:
        self._database.execute(
            "INSERT INTO overrides VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
            (given.student_id, given.criterion, None if given.marks is None else str(given.marks), given.why,
             given.who, given.at, given.comment),
        )  # fmt: skip

    def overrides(self) -> list[Override]:
        """All that were ever given, oldest first."""
        found = self._database.execute(
            "SELECT student_id, criterion, marks, why, who, at, comment FROM overrides ORDER BY number"
        )
        return [Override(s, c, None if m is None else Fraction(m), *rest) for s, c, m, *rest in found]

    def publish(self, rows: Iterable[Published], documents: Iterable[Mapping[str, Any]]) -> None:
        self._database.executemany(
            "INSERT OR REPLACE INTO published VALUES (?, ?, ?, ?)",
            ((p.student_id, p.submission, p.standing, p.at) for p in rows),
        )
        self._database.executemany(
            "INSERT OR REPLACE INTO published_documents VALUES (?, ?)",
            ((d["submission"]["id"], json.dumps(d, ensure_ascii=False)) for d in documents),
        )

    def unpublish(self) -> None:
        self._database.execute("DELETE FROM published")
        self._database.execute("DELETE FROM published_documents")

    def published(self) -> list[Published]:
        found = self._database.execute("SELECT student_id, submission, standing, at FROM published")
        return [Published(*row) for row in found]

    def published_document(self, submission: str) -> dict[str, Any] | None:
        row = self._database.execute(
            "SELECT document FROM published_documents WHERE submission = ?", (submission,)
        ).fetchone()
        found: dict[str, Any] | None = None if row is None else json.loads(row[0])
        return found

    def reported(self, submission: str) -> str:
        """The digest of what the submission's report files were last made from."""
        row = self._database.execute("SELECT digest FROM reports WHERE submission = ?", (submission,)).fetchone()
        return "" if row is None else str(row[0])

    def note_report(self, submission: str, digest: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO reports VALUES (?, ?)", (submission, digest))

    def forget(self, submission: str, student_id: str, *, alone: bool) -> None:
        """Every row of this student; of the submission too where it is nobody else's. Bytes go with `wipe`."""
        run = self._database.execute
        run("DELETE FROM seats WHERE student_id = ? AND submission = ?", (student_id, submission))
        run("DELETE FROM overrides WHERE student_id = ?", (student_id,))
        run("DELETE FROM published WHERE student_id = ?", (student_id,))
        if alone:
            for table in ("results", "handed_in", "published_documents", "reports"):
                run(f"DELETE FROM {table} WHERE submission = ?", (submission,))

    def rewrite_documents(self, submission: str, change: Any) -> None:
        """``change(document)`` in place of every stored document of a submission."""
        for table in ("results", "published_documents"):
            rows = self._database.execute(
                f"SELECT rowid, document FROM {table} WHERE submission = ?", (submission,)
            ).fetchall()
            for number, text in rows:
                new = json.dumps(change(json.loads(text)), ensure_ascii=False)
                self._database.execute(f"UPDATE {table} SET document = ? WHERE rowid = ?", (new, number))

    def wipe(self) -> None:
        """What was deleted is gone from the file as well, and from its log."""
        self._database.execute("VACUUM")
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
