"""The list of a class: a CSV with the header names that platforms and registries use."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.errors import NotGradable, UsageError
from grader.intake.found import read_regular
from grader.intake.text import decode

_LIMIT = 50_000_000
_HEADERS = {
    "student_id": ("student_id", "student id", "studentid", "student number", "sid", "id number", "id", "学号", "學號"),
    "name": ("name", "full name", "full_name", "student name", "student", "姓名", "全名"),
    "first": ("first name", "first_name", "firstname", "given name", "given_name", "forename", "名", "名字"),
    "last": ("last name", "last_name", "lastname", "surname", "family name", "family_name", "姓", "姓氏"),
    "email": (
        "email",
        "e-mail",
        "email address",
        "mail",
        "邮箱",
        "电子邮箱",
        "电子邮件",
        "邮件",
        "电子邮件地址",
        "電子郵件",
        "電子郵件地址",
        "電子郵件信箱",
    ),
    "login": ("login", "username", "user name", "sis login id", "用户名", "使用者名稱"),
    "sis_id": ("sis_id", "sis user id"),
    "github": ("github", "github username", "github_username"),
}


@dataclass(frozen=True, slots=True)
class Student:
    """A line of the roster; "" is unknown."""

    student_id: str
    name: str = ""
    email: str = ""
    login: str = ""
    sis_id: str = ""
    github: str = ""


def read_roster(path: Path) -> tuple[Student, ...]:
    """The students in the file's order.

    Raises:
        UsageError: unreadable, no column of ids, an id missing or there twice: with file, line and what to do.
    """
    rows = read_table(path)
    line, header = next(rows, (1, []))
    columns = _columns([cell.lower() for cell in header])
    if "student_id" not in columns:
        raise UsageError(
            f"{path}:{line}: no column with the students' ids; call it student_id (or 学号); "
            f"there is {', '.join(header) or 'nothing'}"
        )
    lines: dict[str, int] = {}
    students = []
    for line, row in rows:
        facts = {key: row[at] if at < len(row) else "" for key, at in columns.items()}
        first, last = facts.pop("first", ""), facts.pop("last", "")
        student = Student(**{**facts, "name": facts.get("name") or _whole(first, last)})
        if not student.student_id:
            raise UsageError(f"{path}:{line}: no student id; fill it in or delete the line")
        key = student.student_id.casefold()
        if key in lines:
            raise UsageError(f"{path}:{line}: {student.student_id} stands in line {lines[key]} already; keep one")
        lines[key] = line
        students.append(student)
    return tuple(students)


def read_table(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank with the number of their line, cells composed (NFC) and trimmed.

    Raises:
        UsageError: it cannot be read as a table.
    """
    try:
        text = decode(read_regular(path, _LIMIT), path.name).text
    except NotGradable as wrong:
        raise UsageError(f"{path}: {wrong}; save it as CSV in UTF-8") from None
    first = text.split("\n", 1)[0]
    reader = csv.reader(text.splitlines(keepends=True), delimiter=max(",;\t", key=first.count))
    try:
        for row in reader:
            cells = [_plain(cell) for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as wrong:
        raise UsageError(f"{path}:{reader.line_num}: {wrong}; save it as CSV again") from None


def _whole(first: str, last: str) -> str:
    """A name from its parts, in the order and with the space that its script uses."""
    if any("\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in first + last):
        return last + first
    return f"{first} {last}".strip()


def _plain(cell: str) -> str:
    """A cell composed (NFC) and trimmed, out of ``="..."`` where a spreadsheet holds text so."""
    cell = unicodedata.normalize("NFC", cell).strip()
    return cell[2:-1] if len(cell) > 2 and cell.startswith('="') and cell.endswith('"') else cell


def _columns(header: list[str]) -> dict[str, int]:
    found = {}
    for key, names in _HEADERS.items():
        at = next((header.index(name) for name in names if name in header), None)
        if at is not None:
            found[key] = at
    return found
