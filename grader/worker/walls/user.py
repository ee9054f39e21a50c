"""A grader started as root: its workers become a user nobody is, with no way back."""

from __future__ import annotations

import os
import pwd
import struct
from collections.abc import Sequence
from pathlib import Path

from grader.worker.walls import kernel

_FROM, _TO = 61_200, 65_400  # where systems hand out passing users; below the 16-bit "nobody" numbers
_CAPABILITIES_V3 = 0x20080522


def unused() -> int:
    """A user id that no account and no process has."""
    taken = {account.pw_uid for account in pwd.getpwall()} | {owner for owner, _ in _processes()}
    start = _FROM + os.getpid() % (_TO - _FROM)
    uid: int = next(uid for uid in (*range(start, _TO), *range(_FROM, start)) if uid not in taken)
    return uid


def become(uid: int) -> None:
    """Give up root for good. Raises ``OSError`` where that cannot be done, or could be undone."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if set(os.getresuid()) != {uid} or set(os.getresgid()) != {uid} or os.getgroups():
        raise OSError("the user did not change as a whole")
    try:
        os.setresuid(0, 0, 0)
    except PermissionError:
        return
    raise OSError("there is a way back to root")


def give_up_privileges() -> None:
    """No capability from here on, none to be gained by a program with special bits, no look into our memory."""
    header, nothing = struct.pack("Ii", _CAPABILITIES_V3, 0), bytes(24)
    kernel.syscall("capset", kernel.number("capset"), header, nothing)
    kernel.prctl("no_new_privs", kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl("dumpable", kernel.PR_SET_DUMPABLE, 0)


def unreadable_to(uid: int, paths: Sequence[str]) -> list[str]:
    """Which of these paths that exist the user of this id could not read. Asked of a process that becomes it."""
    answer, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            become(uid)
            os.write(told, bytes(not _readable(path) for path in paths))
        finally:
            os._exit(0)
    os.close(told)
    with os.fdopen(answer, "rb") as reading:
        hidden = reading.read()
    os.waitpid(pid, 0)
    if len(hidden) != len(paths):
        raise OSError("no process could become another user")
    return [path for path, closed in zip(paths, hidden, strict=True) if closed]


def _readable(path: str) -> bool:
    try:
        os.stat(path)
    except FileNotFoundError:
        return True  # nothing there to be read
    except PermissionError:
        return False
    return os.access(path, os.R_OK | (os.X_OK if os.path.isdir(path) else 0))


def tasks_of_this_user() -> int:
    """Processes and threads that count against this user's limit, as far as they can be seen."""
    return sum(threads for owner, threads in _processes() if owner == os.getuid())


def _processes() -> list[tuple[int, int]]:
    """Real user id and number of threads of each process."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                lines = (folder / "status").read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                continue  # ended meanwhile, or hidden
            facts = {key: value.split() for key, _, value in (line.partition(":") for line in lines)}
            found.append((int(facts["Uid"][0]), int(facts["Threads"][0])))
    return found
