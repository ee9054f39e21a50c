"""What a student's code was seen doing: forbidden library functions that ran, and attempts at the machine.

Notes for people, never a wall and never a verdict: code that wants to hide from this can.
"""

from __future__ import annotations

import linecache
import os
import sys
import tokenize
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final

from grader.worker.records import Spot, clean

KINDS: Final = ("file_access", "network", "process", "native_code", "snooping")
_KEPT: Final = 20  # different things of one submission
_FRAMES: Final = 100  # looked through for the student's own line
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_SILENT_FAMILIES: Final = frozenset({1})  # AF_UNIX: an event loop opens a pair of these for itself


@dataclass(slots=True)
class Sighting:
    """One thing that was seen, how often, and the student's line it was first seen from."""

    kind: str
    what: str
    at: tuple[str, int]
    count: int = 1


@dataclass(slots=True)
class Sightings:
    """Everything seen in this worker."""

    _seen: dict[tuple[str, str], Sighting] = field(default_factory=dict)

    def note(self, kind: str, what: str, at: tuple[str, int]) -> None:
        known = self._seen.get((kind, what))
        if known is not None:
            known.count += 1
        elif len(self._seen) < _KEPT:
            self._seen[kind, what] = Sighting(kind, what, at)

    def tell(self, place_of: Callable[[str, int], Spot | None]) -> list[dict[str, Any]]:
        """Plain data for the wire."""
        return [
            {"kind": s.kind, "what": s.what, "count": min(s.count, 1_000_000), **(place_of(*s.at) or {})}
            for s in list(self._seen.values())
        ]


def own_line(frame: FrameType | None) -> tuple[str, int] | None:
    """The innermost line of the student's own; None while a library is being imported, or where there is none.

    Libraries have absolute paths, the student's text has the names it was handed in under.
    """
    for _ in range(_FRAMES):
        if frame is None:
            return None
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib"):
            return None
        if not os.path.isabs(file) and not file.startswith("<"):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


class Listener:
    """An audit hook: hears what the interpreter is about to do, keeps what is worth a flag, never interferes."""

    def __init__(self, sightings: Sightings) -> None:
        self._sightings = sightings
        self._busy = False
        paths = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path}
        self._installed = tuple(sorted(os.path.join(path, "") for path in paths if os.path.isabs(path)))

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        judge = _EVENTS.get(event)
        if judge is None or self._busy:
            return
        self._busy = True
        try:
            self._hear(event, judge, args)
        except BaseException:  # whatever is raised here would stop the student's code
            pass
        finally:
            self._busy = False

    def _hear(self, event: str, judge: tuple[str, Callable[[tuple[Any, ...]], str]], args: tuple[Any, ...]) -> None:
        kind, describe = judge
        caller = sys._getframe(2)  # under this and `__call__`: whoever is about to do it
        at = own_line(caller)
        if at is None or (event == "sys._getframe" and at != (caller.f_code.co_filename, caller.f_lineno)):
            return
        what = describe(args)
        if what and not self._is_installed(args) and not _for_a_traceback(caller, args):
            self._sightings.note(kind, clean(f"{event}{what}", 120), at)

    def _is_installed(self, args: tuple[Any, ...]) -> bool:
        """Whether this only reads what Python and its packages themselves consist of."""
        path = args[0] if args else None
        return type(path) is str and path.startswith((*self._installed, os.devnull)) and not _writes(args)


def _for_a_traceback(caller: FrameType, args: tuple[Any, ...]) -> bool:
    """Whether this looks up lines of what runs just now, as torch does for the stack of the first ``manual_seed``."""
    asker = caller.f_back
    if caller.f_code is not tokenize.open.__code__ or asker is None or asker.f_globals is not linecache.__dict__:
        return False
    frame: FrameType | None = asker
    while frame is not None and frame.f_code.co_filename != args[0]:
        frame = frame.f_back
    return frame is not None and not _writes(args)


def _writes(args: tuple[Any, ...]) -> bool:
    mode, flags = (args[1], args[2]) if len(args) == 3 else (None, 0)
    return (type(mode) is str and not set(mode).isdisjoint("wax+")) or (type(flags) is int and bool(flags & _WRITES))


def _opened(args: tuple[Any, ...]) -> str:
    if type(args[0]) is int:  # a stream that is open already
        return ""
    return f"{_shown(args[:1])} for {'writing' if _writes(args) else 'reading'}"


def _made(args: tuple[Any, ...]) -> str:
    return "" if args[:1] == ("/",) else _shown(args)  # torch's compiler makes sure of its folder, told to be this one


def _socket(args: tuple[Any, ...]) -> str:
    return "" if len(args) > 1 and args[1] in _SILENT_FAMILIES else "()"


def _shown(args: tuple[Any, ...]) -> str:
    """The plain ones among an event's arguments; an object of the student's is asked nothing."""
    plain = [repr(a)[:80] for a in args[:3] if type(a) in (str, bytes, int)]
    plain += [repr(tuple(a))[:80] for a in args[:3] if type(a) is tuple and all(type(x) in (str, int) for x in a)]
    return f"({', '.join(plain)})"


def _bare(args: tuple[Any, ...]) -> str:
    return "()"


def _all(kind: str, describe: Callable[[tuple[Any, ...]], str], *events: str) -> dict[str, Any]:
    return dict.fromkeys(events, (kind, describe))


_EVENTS: Final[Mapping[str, tuple[str, Callable[[tuple[Any, ...]], str]]]] = {
    "open": ("file_access", _opened),
    "os.mkdir": ("file_access", _made),
    **_all("file_access", _shown, "os.listdir", "os.scandir", "os.remove", "os.rename", "os.rmdir",
           "os.chmod", "os.chown", "os.link", "os.symlink", "os.truncate", "os.utime", "shutil.rmtree"),
    "socket.__new__": ("network", _socket),
    **_all("network", _shown, "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"),
    **_all("network", _bare, "socket.connect", "socket.bind", "socket.sendto"),
    **_all("process", _bare, "os.fork", "os.forkpty", "pty.spawn"),
    **_all("process", _shown, "os.exec", "os.posix_spawn", "os.system", "os.kill", "os.killpg", "subprocess.Popen"),
    **_all("native_code", _shown, "ctypes.dlopen"),
    **_all("snooping", _bare, "gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys._current_frames",
           "sys._getframe", "sys.addaudithook"),
}  # fmt: skip
