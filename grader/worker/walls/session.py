"""A worker's own session and descriptors: it ends with the zygote, and holds nothing but its pipes."""

from __future__ import annotations

import os
import signal

from grader.worker.walls import kernel

_LAST = (1 << 32) - 1


def begin(parent: int) -> None:
    """Own session, and an end when the zygote (``parent``) ends. Raises ``OSError``."""
    os.setsid()
    kernel.prctl("parent death signal", kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise OSError("the zygote ended meanwhile")


def close_all_but(*kept: int) -> None:
    """Close every descriptor above stderr that is not among ``kept``. Raises ``OSError``."""
    first = 3
    for fd in sorted({fd for fd in kept if fd >= first}):
        _close(first, fd - 1)
        first = fd + 1
    _close(first, _LAST)


def _close(first: int, last: int) -> None:
    if first <= last:
        try:
            kernel.syscall("close_range", kernel.CLOSE_RANGE, first, last, 0)
        except OSError:  # before Linux 5.9
            os.closerange(first, min(last + 1, os.sysconf("SC_OPEN_MAX")))
