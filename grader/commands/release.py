"""``grader release``: the students' copy of the course, proven to hold nothing of the reference."""

from __future__ import annotations

import shutil
from pathlib import Path

from grader.commands.console import note, say
from grader.commands.exits import Exit
from grader.commands.setting import Setting
from grader.errors import UsageError
from grader.release.folder import release
from grader.release.proof import secrets_in, self_test


def run(setting: Setting, out: Path) -> Exit:
    """Write OUT and OUT.zip, in every language of the course unless one was asked for.

    Both are taken away again where the proof or the self-test fails.
    """
    course = setting.course()
    languages = (setting.lang,) if setting.lang_asked else course.languages
    if not set(languages) <= set(course.languages):
        raise UsageError(f"--lang {setting.lang}: this course speaks {', '.join(course.languages)}")
    if not any(assignment.reference for assignment in course.assignments):
        raise UsageError(
            "there is no reference/ to show that nothing of it is handed out; name it with --reference DIR"
        )
    released = release(course, setting.root, setting.folder / out, languages)
    found = secrets_in(course, released.folder)
    for told in found:
        note(told)
    failed = "" if found else self_test(released.archive, course)
    if failed:
        note(failed)
    if found or failed:
        shutil.rmtree(released.folder)
        released.archive.unlink()
        note("nothing is handed out: " + ("it holds parts of the reference" if found else "the self-test failed"))
        return Exit.NOT_ENOUGH if found else Exit.FAULT
    for name in released.members:
        say(name)
    count = len(released.members)
    say(f"{released.folder}, {released.archive.name}: {count} files, nothing of the reference in them")
    return Exit.DONE
