"""Landlock: a process takes away its own right to files, TCP and signals. Whatever the kernel's version of it has."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from typing import Final

from grader.worker.walls import kernel

_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14


def abi() -> int:
    """The kernel's version of Landlock. Raises ``OSError`` where it has none."""
    return kernel.syscall("Landlock", kernel.LANDLOCK_CREATE_RULESET, None, 0, _VERSION)


class Ruleset:
    """What may be read (folders and files) and written (devices such as ``/dev/null``); the rest is refused.

    Built once, enforced in each worker. Raises ``OSError``.
    """

    def __init__(self, readable: Iterable[str], writable: Iterable[str], cap: int | None = None) -> None:
        self.abi = min(abi(), cap or 1 << 30)
        if self.abi < 1:
            raise OSError("Landlock is capped away")
        self._files = _files(self.abi)
        attr = struct.pack("QQQ", self._files, 3 if self.abi >= 4 else 0, 3 if self.abi >= 6 else 0)
        size = 8 if self.abi < 4 else 16 if self.abi < 6 else 24
        self.fd = kernel.syscall("landlock_create_ruleset", kernel.LANDLOCK_CREATE_RULESET, attr, size, 0)
        for path in readable:
            self._allow(path, _READ_FILE | _READ_DIR)
        for path in writable:
            self._allow(path, _READ_FILE | _WRITE_FILE | _TRUNCATE)

    def _allow(self, path: str, rights: int) -> None:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            if not os.path.isdir(path):
                rights &= ~_READ_DIR
            rule = struct.pack("=Qi", rights & self._files, fd)
            kernel.syscall("landlock_add_rule", kernel.LANDLOCK_ADD_RULE, self.fd, _PATH_BENEATH, rule, 0)
        finally:
            os.close(fd)

    def enforce(self) -> None:
        """From here on, for this thread and all it starts; never to be undone."""
        kernel.prctl("no_new_privs", kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.syscall("landlock_restrict_self", kernel.LANDLOCK_RESTRICT_SELF, self.fd, 0)


def _files(version: int) -> int:
    """Every right to files that this version can take away."""
    return (1 << 13) - 1 | (1 << 13) * (version >= 2) | _TRUNCATE * (version >= 3) | (1 << 15) * (version >= 5)
