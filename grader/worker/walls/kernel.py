"""Calls to the kernel that Python has no function for. Every failure is an ``OSError``."""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any, Final

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_NO_NEW_PRIVS: Final = 38

# Numbers that all architectures share: calls added since Linux 5.1 count on from one table.
LANDLOCK_CREATE_RULESET: Final = 444
LANDLOCK_ADD_RULE: Final = 445
LANDLOCK_RESTRICT_SELF: Final = 446
CLOSE_RANGE: Final = 436
MOUNT_SETATTR: Final = 442

LIBC: Final = ctypes.CDLL(None, use_errno=True)

_BY_MACHINE: Final = {
    "x86_64": {"seccomp": 317, "pivot_root": 155, "capset": 126, "process_vm_readv": 310},
    "aarch64": {"seccomp": 277, "pivot_root": 41, "capset": 91, "process_vm_readv": 270},
}


def machine() -> str:
    return platform.machine()


def number(name: str) -> int:
    """The number of a call on this machine. Raises ``OSError`` where no table holds it."""
    try:
        return _BY_MACHINE[machine()][name]
    except KeyError:
        raise OSError(f"no table of system calls for {machine()}") from None


def checked(what: str, result: int) -> int:
    """``result``, or an ``OSError`` that names the call."""
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def syscall(what: str, call: int, *arguments: Any) -> int:
    """A raw system call; integers go as longs, bytes and None as pointers."""
    given = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result: int = LIBC.syscall(ctypes.c_long(call), *given)
    return checked(what, result)


def prctl(what: str, option: int, value: int = 0) -> int:
    zero = ctypes.c_ulong(0)
    return checked(what, LIBC.prctl(option, ctypes.c_ulong(value), zero, zero, zero))
