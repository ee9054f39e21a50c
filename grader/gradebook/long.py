"""``results.csv`` and ``flags.csv``: one row a test, and one a flag, for every student."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from grader.gradebook.guard import guarded
from grader.reports.words import marks

RESULTS = ("student_id", "submission", "criterion", "test", "outcome")
_PIECE = 1 << 16  # characters
FLAGS = ("student_id", "submission", "kind", "detail", "file", "line", "costs")


def result_rows(document: Mapping[str, Any], students: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Each test of a document, for each of its students."""
    submission = guarded(document["submission"]["id"])
    for student in map(guarded, students):
        for test in document["tests"]:
            yield (student, submission, test["criterion"], _test_id(test["id"]), test["outcome"])


def flag_rows(document: Mapping[str, Any], students: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Each flag of a document, for each of its students."""
    submission = guarded(document["submission"]["id"])
    for student in map(guarded, students):
        for flag in document["flags"]:
            line = str(flag["line"]) if "line" in flag else ""
            costs = marks(flag["costs"])
            yield (
                student,
                submission,
                flag["kind"],
                guarded(flag["detail"]),
                guarded(flag.get("file", "")),
                line,
                costs,
            )


_test_id = lru_cache(4096)(guarded)  # the same few in every document


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A CSV (RFC 4180) of cells that are guarded already."""
    return b"".join(pieces(columns, rows)).decode()


def pieces(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[bytes]:
    """The same in UTF-8, piece by piece: a class of thousands has a row for each of its tests."""
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(row)
        if sheet.tell() > _PIECE:
            yield sheet.getvalue().encode()
            sheet.seek(0)
            sheet.truncate()
    yield sheet.getvalue().encode()
