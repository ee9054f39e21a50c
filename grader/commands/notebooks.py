"""``grader notebooks``: the assignments' notebooks, made from handout and stub."""

from __future__ import annotations

from grader.commands.console import note, say, write_document
from grader.commands.exits import Exit
from grader.commands.setting import Setting
from grader.release.notebooks import handout_name, notebook_name, notebook_text


def run(setting: Setting, check: bool) -> Exit:
    """Write each notebook that is absent or stale; ``check`` only names them. Exit code 1 where one was named."""
    course = setting.course()
    stale = 0
    for assignment in course.assignments:
        for lang in course.languages:
            if assignment.stub.suffix != ".py" or not (assignment.folder / handout_name(lang)).is_file():
                continue
            path = assignment.folder / notebook_name(assignment, lang)
            text = notebook_text(assignment, lang)
            if path.is_file() and path.read_bytes() == text.encode():
                continue
            stale += 1
            if not check:
                write_document(path, text)
            say(f"{path.relative_to(setting.root)}: {'is not what handout and stub give' if check else 'written'}")
    if check and stale:
        note("write them with: grader notebooks")
    return Exit.NOT_ENOUGH if check and stale else Exit.DONE
