"""The command line: parses and wires, decides nothing. Each command is imported when it is called."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import click

from grader.cli.anywhere import options_first
from grader.cli.group import app
from grader.cli.language import Language, default_language
from grader.commands.exits import Exit
from grader.commands.setting import Ports

__all__ = ["Language", "app", "default_language", "main", "options_first"]


def main(arguments: Sequence[str] | None = None, ports: Ports | None = None) -> int:
    """Run one command and give its exit code (see `Exit`). ``ports`` replaces the rooms behind the commands."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whatever is said: no console fails over a character
            stream.reconfigure(errors="backslashreplace")
    line = None if arguments is None else list(arguments)
    try:
        code = app.main(line, prog_name="grader", standalone_mode=False, obj=ports)
    except click.ClickException as wrong:
        wrong.show()
        return wrong.exit_code
    except (click.Abort, KeyboardInterrupt):
        return Exit.INTERRUPTED
    except SystemExit as end:  # the reader of --help went away
        return end.code if isinstance(end.code, int) else Exit.DONE
    return code if isinstance(code, int) else Exit.DONE
