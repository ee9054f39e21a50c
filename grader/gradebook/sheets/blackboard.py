"""Blackboard: the downloaded column of the Grade Center, commas or tabs, UTF-8 or UTF-16."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.errors import UsageError
from grader.gradebook.sheets.fill import Layout, column, fill, the_one
from grader.gradebook.sheets.filled import Filled, Wanted
from grader.gradebook.sheets.matching import Key, by_login, by_student
from grader.gradebook.sheets.numbers import number
from grader.gradebook.sheets.table import Table
from grader.model.report import Standing

HOW = "in Blackboard: Grade Center, Work Offline, Download"
_COLUMN = re.compile(r"(?P<title>.*?)\s*\[[^\]]*?(?P<most>\d+(?:[.,]\d+)?)[^\]]*\]\s*\|\s*\d+")


def filled(table: Table, standings: Sequence[Standing], wanted: Wanted) -> Filled:
    """The sheet for Work Offline, Upload.

    Raises:
        UsageError: it is no such sheet, holds no such column, or has another maximum.
    """
    user = column(table, "Username", "User Name", "用户名", "使用者名稱")
    if user is None:
        raise UsageError(f"{table.name} has no column Username; download it {HOW}")
    found = {at: head for at, cell in enumerate(table.header) if (head := _COLUMN.fullmatch(cell))}
    grade = the_one({at: head["title"] for at, head in found.items()}, wanted, table, "column with an id")
    most = number(found[grade]["most"])
    layout = Layout(
        rows=range(1, len(table.rows)),
        keys=(Key(user, by_login), Key(column(table, "Student ID", "学号", "學號"), by_student)),
        names=(column(table, "First Name", "名", "名字"), column(table, "Last Name", "姓", "姓氏")),
        grade=grade,
        maximum=lambda _row: most,
        comment=column(table, "Feedback to Learner", "给学习者的反馈", "給學習者的意見回饋"),
    )
    return fill(table, standings, layout, wanted)
