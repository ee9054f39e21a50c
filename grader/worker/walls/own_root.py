"""A root folder of our own: Python's tree and its libraries, read-only, and nothing else of the machine's files.

Needs namespaces. Here names are hidden as well, which Landlock does not do.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from grader.worker.walls import kernel

_NOSUID, _NODEV, _NOEXEC, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_DETACH: Final = 2
_ATTR_RDONLY, _ATTR_NOSUID = 1, 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_PLACES: Final = ("/tmp", "/run", "/mnt")  # where the new root is put together; any empty-able folder will do


def enter(readable: Iterable[str]) -> None:
    """Make a root of these folders and files alone, and go there. Raises ``OSError``, having changed nothing."""
    place = next((p for p in _PLACES if os.path.isdir(p)), None)
    if place is None:
        raise OSError("there is no folder to put a new root together in")
    os.umask(0o022)
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)
    with ExitStack() as opened:
        sources = []
        for path in outermost(readable):
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)  # before the new root hides it
            opened.callback(os.close, fd)
            sources.append((path, fd))
        _mount("tmpfs", place, "tmpfs", _NOSUID | _NODEV, "size=1m,mode=755")
        try:
            _furnish(place, sources)
            _move_into(place)
        except OSError:
            kernel.LIBC.umount2(place.encode(), _DETACH)
            raise


def outermost(paths: Iterable[str]) -> list[str]:
    """The paths that exist, without those inside another."""
    kept: list[str] = []
    for path in sorted({os.path.abspath(p) for p in paths if os.path.exists(p)}):
        if not any(path.startswith(above.rstrip("/") + "/") for above in kept):
            kept.append(path)
    return kept


def _furnish(place: str, sources: Iterable[tuple[str, int]]) -> None:
    for path, fd in sources:
        target = Path(place + path)
        if os.path.isdir(f"/proc/self/fd/{fd}"):  # the place itself hides what stood below it
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        _mount(f"/proc/self/fd/{fd}", str(target), None, _BIND | _RECURSIVE)
        _set(str(target), _AT_RECURSIVE, _ATTR_RDONLY | _ATTR_NOSUID)
    proc = Path(place + "/proc")
    proc.mkdir()
    _mount("proc", str(proc), "proc", _NOSUID | _NODEV | _NOEXEC)


def _move_into(place: str) -> None:
    os.chdir(place)
    kernel.syscall("pivot_root", kernel.number("pivot_root"), b".", b".")
    kernel.checked("umount", kernel.LIBC.umount2(b".", _DETACH))
    os.chdir("/")
    _set("/", 0, _ATTR_RDONLY | _ATTR_NOSUID)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    given = [None if text is None else text.encode() for text in (source, target, kind)]
    kernel.checked(f"mount {target}", kernel.LIBC.mount(*given, flags, data.encode() or None))


def _set(path: str, flags: int, attributes: int) -> None:
    attr = struct.pack("QQQQ", attributes, 0, 0, 0)
    kernel.syscall("mount_setattr", kernel.MOUNT_SETATTR, _AT_FDCWD, path.encode(), flags, attr, len(attr))
