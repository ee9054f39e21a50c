"""When each student handed in, from a sheet that staff downloaded: by header, whatever the platform."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UsageError
from grader.intake.table import read_table

_WHO = frozenset({
    "student_id", "student id", "sid", "id number", "id", "identifier", "username", "user name", "login", "sis user id",
    "sis login id", "email", "email address", "github_username", "submission id", "submission", "学号", "學號",
    "学号/工号", "编号", "标识符", "标识", "識別碼", "电子邮件地址", "邮箱", "電子郵件信箱",
})  # fmt: skip
_WHEN = frozenset({
    "last modified (submission)", "submission time", "submission_timestamp", "timestamp", "submitted", "submitted_at",
    "submitted at", "handed_in", "handed in", "created_at", "提交时间", "提交時間",
})  # fmt: skip
_NEVER = frozenset({"", "-", "never", "从不", "從不", "n/a", "none"})


@dataclass(frozen=True, slots=True)
class Line:
    """One student: every key the sheet knows them by, and when they handed in."""

    number: int
    keys: frozenset[str]
    when: str


def read_times(path: Path) -> Iterator[Line]:
    """The lines that tell a time.

    Raises:
        UsageError: no table, or no column of times or of students; with file, line and what to do.
    """
    rows = read_table(path)
    number, header = next(rows, (1, []))
    names = [_folded(cell) for cell in header]
    who, when = [i for i, name in enumerate(names) if name in _WHO], _column(names)
    if when is None:
        raise UsageError(
            f"{path}:{number}: no column with the times of handing in; call it submitted_at; there is "
            f"{', '.join(header) or 'nothing'}"
        )
    if not who:
        raise UsageError(f"{path}:{number}: no column that tells the students; call it student_id")
    for number, row in rows:
        cells = [row[i] if i < len(row) else "" for i in range(len(names))]
        if cells[when].lower() not in _NEVER:
            keys = frozenset(_key(cells[i]) for i in who if cells[i])
            yield Line(number, keys, cells[when])


def _column(names: list[str]) -> int | None:
    known = (i for i, name in enumerate(names) if name in _WHEN or ("修改" in name and "提交" in name))
    return next(known, None)


def _folded(cell: str) -> str:
    return " ".join(cell.lower().replace("（", "(").replace("）", ")").split())


def _key(cell: str) -> str:
    """``Participant 123`` is the number in a Moodle archive's names."""
    first, _, number = cell.rpartition(" ")
    return number if first and first.isalpha() and number.isdigit() else cell.casefold()
