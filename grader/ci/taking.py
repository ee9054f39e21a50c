"""A hand-in out of a repository into a clean folder: ordinary files of code, as bytes, within limits."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.ci.changed import HandIn, Read
from grader.ci.objects import SUBMODULE, SYMLINK, Entry
from grader.intake.archive import inside
from grader.intake.folder import ENTRIES_LIMIT, TOTAL_LIMIT
from grader.intake.found import kind_of, limit_of, readable
from grader.model.course import Text
from grader.model.submission import Flag

_POINTER = b"version https://git-lfs.github.com/spec/"
_POINTER_LIMIT = 1_024  # bytes; a pointer is a few lines
LARGE = 10_000_000  # bytes of a file that is no code: left alone, but worth a flag
_LINK = Text("a symbolic link; commit the file itself", "是符号链接；请提交文件本身")
_MODULE = Text("a submodule; commit the files themselves", "是子模块；请直接提交文件")
_POINTS = Text(
    "a Git LFS pointer, not the file; commit the file itself without LFS",
    "是 Git LFS 指针而不是文件；请不用 LFS 提交文件本身",
)
_SMALLER = Text("commit code only, with outputs cleared", "请只提交代码并清除输出")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that was not taken, and why."""

    path: str
    kind: str
    why: Text
    is_code: bool

    @property
    def flag(self) -> Flag:
        return Flag(self.kind, f"{readable(self.path)}: {self.why.en}")

    @property
    def reason(self) -> Text:
        """For a student whose work cannot be graded because of it."""
        shown = readable(self.path)
        return Text(f"`{shown}` is left out: {self.why.en}", f"`{shown}` 未被采用：{self.why.zh}")


def take(hand_in: HandIn, read: Read, into: Path) -> tuple[LeftOut, ...]:
    """Write the code of ``hand_in`` into the empty folder ``into``; what was left out comes back.

    Nothing that is no code is written: its name can matter to nobody, its bytes are not even read.
    """
    left_out, count, total = [], 0, 0
    cut = len(hand_in.home) + 1 if hand_in.home else 0
    for entry in hand_in.entries:
        wrong = refused(entry, read)
        if wrong is None and kind_of(entry.name) is None:
            continue
        path = inside(entry.path[cut:])
        if wrong is None and (path is None or not _is_plain(entry.path)):
            wrong = LeftOut(entry.path, "file_left_out", Text("its path leads elsewhere", "路径不合规"), True)
        elif wrong is None and (count >= ENTRIES_LIMIT or total + entry.size > TOTAL_LIMIT):
            wrong = LeftOut(entry.path, "file_left_out", Text("there are too many files", "文件过多"), True)
        if wrong is not None or path is None:
            left_out += [wrong] if wrong else []
            continue
        count, total = count + 1, total + entry.size
        _write(into, path, read(entry))
    return tuple(left_out)


def refused(entry: Entry, read: Read) -> LeftOut | None:
    """Why this entry is never taken: no ordinary file, a pointer to one, or too large. None where it may be."""
    kind = kind_of(entry.name)
    if entry.mode == SYMLINK:
        return LeftOut(entry.path, "symlink", _LINK, kind is not None)
    if entry.mode == SUBMODULE:
        return LeftOut(entry.path, "submodule", _MODULE, is_code=False)
    if entry.size > (limit_of(kind) if kind else LARGE):
        size = f"{entry.size / 1_000_000:.1f} MB"
        why = Text(f"{size}, which is too large; {_SMALLER.en}", f"{size}，过大；{_SMALLER.zh}")
        return LeftOut(entry.path, "large_file", why, kind is not None)
    if _is_pointer(entry, read):
        return LeftOut(entry.path, "lfs_pointer", _POINTS, kind is not None)
    return None


def reason_of(left_out: Iterable[LeftOut]) -> Text | None:
    """Why there is nothing to grade, where a file of code had to stay out."""
    return next((each.reason for each in left_out if each.is_code), None)


def _is_pointer(entry: Entry, read: Read) -> bool:
    return len(_POINTER) <= entry.size <= _POINTER_LIMIT and read(entry).startswith(_POINTER)


def _is_plain(path: str) -> bool:
    return not path.startswith("/") and all(part not in ("", ".", "..") for part in path.split("/"))


def _write(folder: Path, path: str, data: bytes) -> None:
    """Into our own folder, which holds nothing but what came through here: no link can stand in the way."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(target, flags, 0o600), "wb") as file:
        file.write(data)
