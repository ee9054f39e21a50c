"""``grader list``: the course at a glance."""

from __future__ import annotations

import re

from grader.commands.console import columns, say
from grader.commands.exits import Exit
from grader.commands.phrases import marks_phrase, phrase
from grader.commands.setting import Setting
from grader.commands.work import candidates
from grader.model import Assignment

_TO_WRITE = re.compile(rb"^\s*raise NotImplementedError", re.MULTILINE)


def run(setting: Setting) -> Exit:
    """Name, title, marks and how far each assignment's file has come."""
    course = setting.course()
    say(course.title.pick(setting.lang))
    rows = [
        (a.name, a.title.pick(setting.lang), marks_phrase(a.max_score, setting.lang),
         _state(a, setting))
        for a in course.assignments
    ]  # fmt: skip
    for line in columns(rows, indent=2):
        say(line)
    return Exit.DONE


def _state(assignment: Assignment, setting: Setting) -> str:
    path = next((p for p in candidates(assignment, setting.folder) if p.suffix == ".py"), None)
    if path is None:
        return phrase("no_file", setting.lang, file=assignment.file)
    left = len(_TO_WRITE.findall(path.read_bytes()))
    return phrase("to_write", setting.lang, count=left) if left else phrase("written", setting.lang)
