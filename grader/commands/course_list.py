"""``grader list``: the course at a glance."""

from __future__ import annotations

from grader.commands.console import columns, say
from grader.commands.exits import Exit
from grader.commands.phrases import marks_phrase, phrase
from grader.commands.setting import Setting
from grader.commands.work import work_on
from grader.commands.written import left_to_write
from grader.model.course import Assignment


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
    work = work_on(assignment, setting.folder)
    if work is None:
        return phrase("no_file", setting.lang, file=assignment.file)
    left = left_to_write(work.path)
    if left is None:
        return phrase("unreadable", setting.lang, file=work.path.name)
    state = phrase("to_write", setting.lang, count=left) if left else phrase("written", setting.lang)
    return state if work.path.name == assignment.file else f"{state} ({work.path.name})"
