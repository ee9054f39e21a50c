"""``grader pack``: the private parts of the course as one file, to be kept where students cannot read."""

from __future__ import annotations

from pathlib import Path

from grader.commands.console import say, write_atomically
from grader.commands.exits import Exit
from grader.commands.setting import Setting
from grader.errors import UsageError
from grader.release.pack import digest_of, pack


def run(setting: Setting, out: Path) -> Exit:
    """Write OUT and say its digest, which is what a grading run pins. The same reference gives the same bytes."""
    data = pack(setting.course())
    target = setting.folder / out
    try:
        write_atomically(target, data, mode=0o600)
    except OSError as wrong:
        raise UsageError(f"cannot write {out}: {wrong.strerror or wrong}") from None
    say(digest_of(data))
    return Exit.DONE
