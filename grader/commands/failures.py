"""Every way a command can fail, as one clear line and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from grader.commands.console import note
from grader.commands.exits import Exit
from grader.errors import CourseError, GraderError, NotGradable, UsageError


def exit_code_of(command: Callable[[], Exit]) -> Exit:
    """Run ``command``. Only a failure of our own shows a traceback."""
    try:
        return command()
    except KeyboardInterrupt:
        note("grader: interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except CourseError as wrong:
        for problem in wrong.problems:
            note(f"grader: {problem}")
        return Exit.USAGE
    except GraderError as wrong:
        note(f"grader: {wrong}")
        return _code(wrong)
    except Exception:
        import traceback

        note(traceback.format_exc())
        note("grader: this is a fault of the grader itself; no submission is to blame")
        return Exit.FAULT


def _code(wrong: GraderError) -> Exit:
    if isinstance(wrong, UsageError):
        return Exit.USAGE
    return Exit.NOT_ENOUGH if isinstance(wrong, NotGradable) else Exit.FAULT
