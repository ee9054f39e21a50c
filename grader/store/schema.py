"""The tables, and the steps by which older files become like new ones. ``user_version`` counts the steps taken."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from grader.errors import UsageError

STEPS: tuple[str, ...] = (
    """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE results (
        submission TEXT NOT NULL, conditions TEXT NOT NULL, digest TEXT NOT NULL, rubric TEXT NOT NULL,
        document TEXT NOT NULL, seconds REAL NOT NULL, at TEXT NOT NULL, status TEXT NOT NULL,
        PRIMARY KEY (submission, conditions, digest)
    );
    CREATE TABLE handed_in (
        place INTEGER PRIMARY KEY, submission TEXT NOT NULL UNIQUE, conditions TEXT NOT NULL, digest TEXT NOT NULL,
        origin TEXT NOT NULL, flags TEXT NOT NULL, reason TEXT NOT NULL, source TEXT NOT NULL, came TEXT NOT NULL
    );
    CREATE TABLE seats (
        place INTEGER PRIMARY KEY, submission TEXT NOT NULL, student_id TEXT NOT NULL, name TEXT NOT NULL,
        email TEXT NOT NULL, accounts TEXT NOT NULL
    );
    CREATE TABLE overrides (
        number INTEGER PRIMARY KEY, student_id TEXT NOT NULL, criterion TEXT NOT NULL, marks TEXT,
        why TEXT NOT NULL, who TEXT NOT NULL, at TEXT NOT NULL, comment TEXT NOT NULL
    );
    CREATE TABLE published (
        student_id TEXT NOT NULL, submission TEXT NOT NULL, standing TEXT NOT NULL, at TEXT NOT NULL,
        PRIMARY KEY (student_id, submission)
    );
    CREATE TABLE published_documents (submission TEXT PRIMARY KEY, document TEXT NOT NULL);
    CREATE TABLE reports (submission TEXT PRIMARY KEY, digest TEXT NOT NULL);
    """,
)


def bring_up_to_date(database: sqlite3.Connection, name: str, steps: Sequence[str] = STEPS) -> None:
    """Take the steps that are missing, each with its number in one transaction.

    Raises:
        UsageError: the file is from a newer version of the grader.
    """
    taken = int(database.execute("PRAGMA user_version").fetchone()[0])
    if taken > len(steps):
        raise UsageError(
            f"{name} was written by a newer version of the grader (its tables are of version {taken}, "
            f"this one knows {len(steps)}); use that version, or another --out"
        )
    for number, step in enumerate(steps[taken:], taken + 1):
        database.executescript(f"BEGIN;\n{step};\nPRAGMA user_version = {number};\nCOMMIT;")
