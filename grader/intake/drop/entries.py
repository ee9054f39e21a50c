"""Everything in a drop by name: the files of a folder on disk, or the members of the platform's own zip.

A name is a label here, never a place to write to; bytes are read one file at a time, within bounds.
"""

from __future__ import annotations

import os
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import UsageError
from grader.intake import refusals
from grader.intake.archive import DAMAGED, inside, member_name
from grader.intake.folder import is_litter
from grader.intake.found import read_regular, readable
from grader.model import Text

ENTRIES_LIMIT = 200_000  # of a whole class
DEPTH_LIMIT = 20
TWIN = "\0"
_RATIO_LIMIT = 200  # bytes out for each byte in
_ENCRYPTED = 0x1
_LEFT_BEHIND = frozenset({"__macosx", "__pycache__", "desktop.ini", "thumbs.db"})  # by file managers, not students


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or a folder of the drop. ``path`` is composed (NFC), with plain slashes, and leads nowhere else.

    Of two names that are one but for their composition, the second ends with ``TWIN``, which no name holds.
    """

    path: str
    changed: float = 0.0
    is_folder: bool = False
    bad: str = ""  # why it must not be read
    on_disk: Path | None = None
    member: int = -1  # its number in the zip

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1].rstrip(TWIN)


@dataclass(slots=True)
class Drop:
    """What was handed to the command. Close it after use."""

    name: str
    entries: tuple[Entry, ...]
    repositories: frozenset[str] = frozenset()  # folders that hold a ``.git``
    left_out: list[str] = field(default_factory=list)
    archive: zipfile.ZipFile | None = None
    _children: dict[str, list[Entry]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for entry in self.entries:
            self._children.setdefault(entry.path.rpartition("/")[0], []).append(entry)

    def children(self, folder: str) -> tuple[Entry, ...]:
        """What stands directly in a folder; "" is the top."""
        return tuple(self._children.get(folder, ()))

    def read(self, entry: Entry, limit: int) -> bytes:
        """The bytes of a file.

        Raises:
            NotGradable: a link or a device, too big, damaged, or behind a password.
        """
        if entry.on_disk is not None:
            return read_regular(entry.on_disk, limit)
        if self.archive is None or entry.bad:
            raise refusals.no_regular_file(entry.name)
        return _read_member(self.archive, self.archive.infolist()[entry.member], entry.name, limit)

    def close(self) -> None:
        if self.archive is not None:
            self.archive.close()


def is_junk(part: str, depth: int) -> bool:
    """Names that systems and editors leave behind. At the top a student may well be called ``env``."""
    return part.startswith(".") or part.lower() in _LEFT_BEHIND or (depth > 0 and is_litter(part))


def open_drop(path: Path) -> Drop:
    """List a folder or a zip.

    Raises:
        UsageError: it is neither, is empty, or cannot be read; says what to do.
    """
    if path.is_dir():
        drop = _list_folder(path)
    elif path.is_file() and path.suffix.lower() == ".zip":
        drop = _list_zip(path)
    elif path.is_file():
        raise UsageError(f"{path} is neither a folder nor a .zip; unpack it, then give its folder")
    else:
        raise UsageError(f"{path} is no folder; batch grades a folder with one file or folder a submission, or a .zip")
    if not drop.entries:
        drop.close()
        raise UsageError(f"{path} is empty; batch grades a folder with one file or folder a submission, or a .zip")
    return drop


def _list_folder(folder: Path) -> Drop:
    repositories: set[str] = set()
    entries: list[Entry] = []
    left_out: list[str] = []
    for entry in _walk(folder, "", 0, repositories):
        if len(entries) >= ENTRIES_LIMIT:
            raise UsageError(f"{folder} holds more than {ENTRIES_LIMIT} files; is it the right folder?")
        entries.append(entry)
    return Drop(readable(folder.name), tuple(entries), frozenset(repositories), left_out)


def _walk(folder: Path, above: str, depth: int, repositories: set[str]) -> Iterator[Entry]:
    try:
        with os.scandir(folder) as found:
            items = sorted(found, key=lambda item: item.name)
    except OSError as wrong:
        if depth == 0:
            raise UsageError(f"cannot read {folder}: {wrong.strerror or wrong}") from None
        return
    seen: set[str] = set()
    for item in items:
        if item.name == ".git":
            repositories.add(above.rstrip("/"))
        if is_junk(item.name, depth):
            continue
        # A slash cannot stand in a name on disk; what reads as one must not become one.
        path = above + readable(item.name).replace("/", "\ufffd")
        while path in seen:
            path += TWIN
        seen.add(path)
        is_folder = item.is_dir(follow_symlinks=False)
        yield Entry(path, item.stat(follow_symlinks=False).st_mtime, is_folder, on_disk=Path(item.path))
        if is_folder and depth < DEPTH_LIMIT:
            yield from _walk(Path(item.path), f"{path}/", depth + 1, repositories)


def _list_zip(path: Path) -> Drop:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, struct.error, NotImplementedError) as wrong:
        raise UsageError(f"{path} is no .zip that can be read ({wrong}); download it again") from None
    members = archive.infolist()
    if len(members) > ENTRIES_LIMIT:
        archive.close()
        raise UsageError(f"{path} holds more than {ENTRIES_LIMIT} files; is it the right archive?")
    found: dict[str, Entry] = {}
    repositories: set[str] = set()
    left_out: list[str] = []
    for number, member in enumerate(members):
        named = member_name(member)
        whole = inside(named)
        if whole is None:
            left_out.append(f"{named[:200]}: its path is too long, or leads out of the archive")
            continue
        parts = whole.split("/")
        if ".git" in parts:
            repositories.add("/".join(parts[: parts.index(".git")]))
        if any(is_junk(part, depth) for depth, part in enumerate(parts)):
            continue
        if whole in found and not member.is_dir():
            left_out.append(f"{whole}: it is there more than once; the last one counts")
        found[whole] = Entry(whole, _changed(member), member.is_dir(), _bad(member), member=number)
    return Drop(readable(path.stem), _with_folders(found), frozenset(repositories), left_out, archive)


def _with_folders(found: dict[str, Entry]) -> tuple[Entry, ...]:
    """The members and every folder above them, which many packers do not list."""
    for path in list(found):
        parts = path.split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            if above not in found:
                found[above] = Entry(above, is_folder=True)
    return tuple(found[path] for path in sorted(found))


def _bad(member: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if not member.is_dir() and kind not in (0, stat.S_IFREG):
        return "a link or a device"
    return ""


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, limit: int) -> bytes:
    if member.flag_bits & _ENCRYPTED:
        raise refusals.no_archive(name, Text("it needs a password; pack it without", "需要密码；请不加密打包"))
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others allocate what they please
        raise refusals.no_archive(name, DAMAGED)
    most = min(limit, max(member.compress_size, 1_000) * _RATIO_LIMIT)
    try:
        with archive.open(member) as file:
            data = file.read(most + 1)  # counted while reading: the sizes in the list may lie
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, struct.error):
        raise refusals.no_archive(name, DAMAGED) from None
    if len(data) > most:
        raise refusals.too_big(name, limit, Text("hand in your code only", "请只提交代码"))
    return data


def _changed(member: zipfile.ZipInfo) -> float:
    try:
        return time.mktime((*member.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0
