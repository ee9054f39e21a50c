"""The list of a class: a CSV with the header names that platforms and registries use."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from grader.errors import UsageError
from grader.intake.table import read_table

_LINES_ABOVE = 20  # a title, a date of export: the header stands below them
_HEADERS = {
    "student_id": (
        "student_id",
        "student id",
        "studentid",
        "student number",
        "sid",
        "id number",
        "id",
        "学号",
        "學號",
        "学号/工号",
        "学生学号",
        "學生學號",
        "id号",
        "id 号",
    ),
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
        "email地址",
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
    above = list(islice(rows, _LINES_ABOVE))
    at = next((n for n, (_, row) in enumerate(above) if "student_id" in _columns(row)), None)
    if at is None:
        line, header = above[0] if above else (1, [])
        raise UsageError(
            f"{path}:{line}: no column with the students' ids; call it student_id (or 学号); "
            f"there is {', '.join(header) or 'nothing'}"
        )
    columns = _columns(above[at][1])
    lines: dict[str, int] = {}
    students: dict[str, Student] = {}
    for line, row in chain(above[at + 1 :], rows):
        student = _student({key: row[at] if at < len(row) else "" for key, at in columns.items()})
        key = student.student_id.casefold()
        if not key and _is_no_student(row):
            continue
        if wrong := _wrong(student.student_id):
            raise UsageError(f"{path}:{line}: {wrong}")
        if key in students and students[key] != student:
            raise UsageError(f"{path}:{line}: {student.student_id} stands in line {lines[key]} already; keep one")
        lines.setdefault(key, line)
        students[key] = student
    return tuple(students.values())


def _student(facts: dict[str, str]) -> Student:
    first, last = facts.pop("first", ""), facts.pop("last", "")
    return Student(**{
        **facts, "student_id": id_in(facts["student_id"]), "name": facts.get("name") or _whole(first, last)
    })  # fmt: skip


def id_in(cell: str) -> str:
    """An id as text, out of what spreadsheets make of one: ``'0123``, ``123.0``, digits of full width."""
    cell = unicodedata.normalize("NFKC", cell)
    found = re.fullmatch(r"'?(\d+)\.0+|'(\w.*)", cell)
    return (found[1] or found[2]) if found else cell


def _wrong(student_id: str) -> str:
    if not student_id:
        return "no student id; fill it in or delete the line"
    if re.fullmatch(r"\d+(?:\.\d+)?E\+\d+", student_id, re.IGNORECASE):
        return f"{student_id} was shortened by a spreadsheet; format its column of ids as text or 0, and save it again"
    return ""


def _is_no_student(row: list[str]) -> bool:
    """The lines that Canvas puts between the header and the class."""
    return any(cell.casefold().startswith(("points possible", "manual posting")) for cell in row)


def _whole(first: str, last: str) -> str:
    """A name from its parts, in the order and with the space that its script uses."""
    if any("\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in first + last):
        return last + first
    return f"{first} {last}".strip()


def _columns(header: list[str]) -> dict[str, int]:
    cells, found = [_heading(cell) for cell in header], {}
    for key, names in _HEADERS.items():
        at = next((cells.index(name) for name in names if name in cells), None)
        if at is not None:
            found[key] = at
    return found


def _heading(cell: str) -> str:
    """A header without what forms put behind it: ``学号（必填）``, ``Student ID *``."""
    cell = re.sub(r"\([^()]*\)|[*:]", " ", unicodedata.normalize("NFKC", cell))
    return " ".join(cell.casefold().split())
