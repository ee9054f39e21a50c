"""``grader new``: begins an assignment."""

from __future__ import annotations

from grader.commands.console import note, say
from grader.commands.exits import Exit
from grader.commands.setting import Setting
from grader.model.course import Text
from grader.scaffold import make

_DONE = Text(
    "A small exercise stands there in place of yours. It is proven by: grader validate {name}",
    "其中是一个小练习，请换成你自己的内容。检验它：grader validate {name}",
)
_PUBLIC = Text("What stands under assignments/ is for students, reference/ for staff alone.",
               "assignments/ 下的内容发给学生，reference/ 下的只给教师。")  # fmt: skip


def run(setting: Setting, name: str) -> Exit:
    """Writes the files of a small exercise that validates, and enters it in the course."""
    course, root = setting.course(), setting.root
    known = [assignment.name for assignment in course.assignments]
    for path in make(root, setting.reference_folder(), name, course.languages, known):
        say(str(path.relative_to(root)) if path.is_relative_to(root) else str(path))
    note(_PUBLIC.pick(setting.lang))
    note(_DONE.pick(setting.lang).format(name=name))
    return Exit.DONE
