"""What the exit code of a command says."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from grader.model.outcome import Status


class Exit(IntEnum):
    """Scripts rely on these numbers."""

    DONE = 0
    NOT_ENOUGH = 1  # done, but marks failed the bar or a human is needed
    USAGE = 2  # called wrongly, or a course file is wrong
    FAULT = 3  # the grader's own fault, or a wall is missing
    INTERRUPTED = 130


def exit_for(statuses: Iterable[str]) -> Exit:
    """The code for these submissions' statuses: our own fault first, then "a human is needed"."""
    seen = set(statuses)
    if Status.GRADER_FAULT in seen:
        return Exit.FAULT
    return Exit.DONE if seen <= {Status.GRADED} else Exit.NOT_ENOUGH
