"""``grader examples``: finds, for each known mistake, the smallest call that shows it, and stores them."""

from __future__ import annotations

from collections.abc import Sequence

from grader.commands.console import say
from grader.commands.exits import Exit
from grader.commands.setting import Setting, assignment_named


def run(setting: Setting, names: Sequence[str], check: bool) -> Exit:
    """Write ``reference/<name>/examples.json``; with ``check``, only say which stored examples no longer hold."""
    from grader.diagnosis import stored  # with torch: not before a command needs it

    course = setting.course()
    chosen = [assignment_named(course, name) for name in names] or [a for a in course.assignments if a.reference]
    stale = False
    for assignment in chosen:
        if check:
            found = stored.stale(assignment)
            stale = stale or bool(found)
            say(f"{assignment.name}: {'stale: ' + ', '.join(found) if found else 'every stored example holds'}")
        else:
            count, missing = stored.store(assignment)
            say(f"{assignment.name}: {count} examples stored")
            if missing:
                say(f"  no recipe shows: {', '.join(missing)}")
    return Exit.NOT_ENOUGH if stale else Exit.DONE
