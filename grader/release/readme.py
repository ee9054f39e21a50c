"""The first page of the students' copy: what lies here, and two commands."""

from __future__ import annotations

from typing import Final

from grader.model.course import Course, Text

_PAGE: Final = Text(
    en="""\
# {title}

Each assignment is a folder below `assignments/`: the task (`README.md`), and the file to work in, once as Python and
once as a notebook. Take whichever you like; hand in that one.

{table}

## Two commands

With Python 3.9 or newer, NumPy and torch, and nothing to install:

```
python check.pyz {example}
python check.pyz
```

The first checks one assignment, the second all that lie here. In a notebook, the last cell does the same.
Where `pip install attention-grader` is possible (Python 3.11 or newer), `grader check {example}`,
`grader hint {example}` and `grader list` show more.

The public checks touch a part of the criteria; grading uses other numbers and looks at all of them.
""",
    zh="""\
# {title}

每份作业是 `assignments/` 下的一个文件夹：题目（`README.md`）和要填写的文件，
一份是 Python，一份是笔记本。任选其一，提交那一个。

{table}

## 两条命令

只需 Python 3.9 以上、NumPy 和 torch，不用安装别的：

```
python check.pyz {example}
python check.pyz
```

第一条检查一份作业，第二条检查这里的全部作业。在笔记本里，最后一个单元格做同样的事。
能够 `pip install attention-grader`（Python 3.11 以上）时，
`grader check {example}`、`grader hint {example}`、`grader list` 显示得更多。

公开检查只涉及一部分评分项；评分时用别的数字，并且逐项检查。
""",
)
_HEAD: Final = Text(en="| assignment | files | marks |\n|---|---|---|", zh="| 作业 | 文件 | 分数 |\n|---|---|---|")


def readme(course: Course, lang: str) -> str:
    """The page in one language."""
    rows = [
        f"| {a.title.pick(lang)} | `assignments/{a.name}/{a.file}` | {float(a.max_score):g} |"
        for a in course.assignments
    ]
    table = "\n".join([_HEAD.pick(lang), *rows])
    return _PAGE.pick(lang).format(title=course.title.pick(lang), table=table, example=course.assignments[0].name)
