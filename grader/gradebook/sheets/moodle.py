"""Moodle: the offline grading worksheet, in whatever language the site speaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from grader.errors import UsageError
from grader.gradebook.sheets.fill import Layout, column, fill, the_one
from grader.gradebook.sheets.filled import Filled, Wanted
from grader.gradebook.sheets.matching import Key, by_email, by_student, by_submission
from grader.gradebook.sheets.numbers import number
from grader.gradebook.sheets.table import Table
from grader.model.report import Standing

HOW = "in Moodle: the assignment, Grading action, Download grading worksheet"
# English, simplified and traditional Chinese, as sites of several versions spell them.
_GRADE = ("Grade", "成绩", "分数", "成績", "分數", "評分")
_MAXIMUM = ("Maximum Grade", "最高分", "最高成绩", "最高分数", "最高成績", "最高分數", "满分", "滿分")
_LOCK = ("Grade can be changed", "允许更改成绩", "可以更改成绩", "成绩可更改", "允許更改成績", "可以更改成績",
         "可以變更成績", "成績可以變更", "成績可以更改")  # fmt: skip
_NUMBER = ("ID number", "学号", "编号", "ID号", "學號", "編號", "身分證號")
_EMAIL = ("Email address", "电子邮件地址", "邮箱", "电子邮箱", "Email地址", "電子郵件地址", "電子郵件", "電子郵件信箱")
_NAME = ("Full name", "全名", "姓名")
_COMMENT = ("Feedback comments", "反馈评论", "反馈意见", "评语", "回饋意見", "回饋評論", "回饋評語", "評語")
_NO, _YES = frozenset({"no", "否", "不", "不是", "不可以"}), frozenset({"yes", "是", "可以"})
# Sites word these columns in many ways: what they hold, or a word in their name, tells them as well.
_LIKE_A_NUMBER = re.compile(r".*\bid\b.*|.*[号號]", re.IGNORECASE)
_LIKE_A_COMMENT = re.compile(r".*(?:feedback|comment|反馈|反饋|回饋|评语|評語|评论|評論).*", re.IGNORECASE)
_PERSON = re.compile(r"\D{1,60}\d+")


def filled(table: Table, standings: Sequence[Standing], wanted: Wanted) -> Filled:
    """The worksheet for Upload grading worksheet: Grade and Feedback comments alone are written.

    Raises:
        UsageError: it is no worksheet, its marks are a scale's words, or it has another maximum.
    """
    if not table.rows or not all(_PERSON.fullmatch(table.value(row, 0)) for row in range(1, len(table.rows))):
        raise UsageError(f"{table.name} does not begin with a column of participants' numbers; download it {HOW}")
    grade = column(table, *_GRADE)
    if grade is None or wanted.column:
        grade = the_one(dict(enumerate(table.header)), wanted, table, "column")
    most, lock = _at_maximum(table, grade), _holding(table, _LOCK, _is_answer)
    layout = Layout(
        rows=range(1, len(table.rows)),
        keys=(
            Key(0, by_submission("moodle"), local=True),
            Key(_called(table, _NUMBER, _LIKE_A_NUMBER), by_student),
            Key(_holding(table, _EMAIL, lambda cell: "@" in cell), by_email),
        ),
        names=(1 if (at := column(table, *_NAME)) is None else at,),  # the second column in every language
        grade=grade,
        maximum=lambda row: _maximum(table, row, most),
        comment=_called(table, _COMMENT, _LIKE_A_COMMENT),
        closed=lambda row: "its grade is locked" if table.value(row, lock).casefold() in _NO else "",
        numbers=(most,),
    )
    return fill(table, standings, layout, wanted)


def _called(table: Table, names: Sequence[str], like: re.Pattern[str]) -> int | None:
    """The column of one of these names, else the one, behind the participants', with a name like them."""
    named = column(table, *names)
    likely = [at for at, head in enumerate(table.header) if at and like.fullmatch(head)]
    return likely[0] if named is None and len(likely) == 1 else named


def _holding(table: Table, names: Sequence[str], fits: Callable[[str], bool]) -> int | None:
    """The column of one of these names, else the one that holds nothing but what fits."""
    named = column(table, *names)
    cells = {at: [value for row in range(1, len(table.rows)) if (value := table.value(row, at))]
             for at in range(1, len(table.header))}  # fmt: skip
    likely = [at for at, told in cells.items() if told and all(map(fits, told))]
    return likely[0] if named is None and len(likely) == 1 else named


def _is_answer(cell: str) -> bool:
    return cell.casefold() in _NO | _YES


def _at_maximum(table: Table, grade: int) -> int | None:
    """The column of the maximum: by its name, else right of the grade where it holds one number throughout."""
    named, next_to = column(table, *_MAXIMUM), grade + 1
    if named is not None or next_to >= len(table.header):
        return named
    told = {table.value(row, next_to) for row in range(1, len(table.rows))}
    return next_to if len(told) == 1 and number(next(iter(told))) is not None else None


def _maximum(table: Table, row: int, at: int | None) -> Fraction | None:
    told = table.value(row, at)
    most = number(told)
    if told and told != "-" and most is None:
        raise UsageError(f"{table.name}:{table.line(row)}: its maximum is {told!r}, no number; use points, not a scale")
    return most
