"""Every file of a folder that may matter, by a bounded walk that follows no link."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import NotGradable
from grader.intake.found import Found, kind_of, limit_of, read_regular, readable
from grader.model.submission import Flag

ENTRIES_LIMIT = 2_000
DEPTH_LIMIT = 20
TOTAL_LIMIT = 200_000_000  # bytes of one hand-in
_FLAGS_LIMIT = 20
_ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tbz")
_LITTER = frozenset({"__macosx", "__pycache__", "node_modules", "site-packages", "venv", "env"})


@dataclass(slots=True)
class Contents:
    """What a folder or an archive holds: readable code, the names of all else, and what had to be left out."""

    code: list[Found] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    archives: list[Path] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    refused: NotGradable | None = None  # why the last unreadable piece of code could not be read
    _where: dict[str, int] = field(default_factory=dict)  # in ``code``, by name without regard to case

    def take(self, found: Found) -> None:
        """Add a file; of several under one name the last counts, as unpacking would leave it."""
        key = found.path.casefold()
        at = self._where.get(key)
        if at is None or self.code[at].path != found.path:
            if at is not None:
                self.note("same_name", f"{found.path} and {self.code[at].path} differ in upper and lower case alone")
            self._where[key] = len(self.code)
            self.code.append(found)
        else:
            self.code[at] = found
            self.note("same_name", f"{found.path} is there more than once; the last one counts")

    def leave_out(self, path: str, why: str) -> None:
        self.note("file_left_out", f"{path}: {why}")

    def note(self, kind: str, detail: str) -> None:
        if len(self.flags) < _FLAGS_LIMIT:
            self.flags.append(Flag(kind, detail))
        elif len(self.flags) == _FLAGS_LIMIT:
            self.flags.append(Flag(kind, f"more of this kind; only the first {_FLAGS_LIMIT} are told"))


def read_folder(folder: Path) -> Contents:
    """Read the code of a folder. Links, devices and what is too big are left out and flagged."""
    contents, entries, total = Contents(), 0, 0
    for path, entry in _walk(folder, "", 0):  # folders come, too: they count
        entries += 1
        if entries > ENTRIES_LIMIT:
            contents.leave_out(path, f"more than {ENTRIES_LIMIT} files")
            break
        kind = kind_of(entry.name)
        if entry.is_dir(follow_symlinks=False):
            continue
        if entry.is_symlink():
            contents.leave_out(path, "a link")
        elif kind is None:
            contents.other.append(path)
            if ending_of_archive(entry.name):
                contents.archives.append(Path(entry.path))
        elif total > TOTAL_LIMIT:
            contents.leave_out(path, f"more than {TOTAL_LIMIT // 1_000_000} MB in all")
        else:
            try:
                data = read_regular(Path(entry.path), limit_of(kind))
            except NotGradable as error:
                contents.leave_out(path, error.reason.en)
                contents.refused = error
                continue
            total += len(data)
            contents.take(Found(path, data, entry.stat(follow_symlinks=False).st_mtime))
    return contents


def ending_of_archive(name: str) -> str:
    """The ending that makes a file an archive (".zip", ".tar.gz", ...), else ""."""
    low = name.lower()
    return next((ending for ending in _ARCHIVES if low.endswith(ending)), "")


def is_litter(name: str) -> bool:
    """Names that systems and editors leave behind: never a student's work."""
    return name.startswith(".") or name.lower() in _LITTER


def _walk(folder: Path, inside: str, depth: int) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Files of the folder first, then its folders, each with what it holds, by name."""
    try:
        with os.scandir(folder) as found:
            entries = [entry for _, entry in zip(range(ENTRIES_LIMIT + 1), found, strict=False)]
    except OSError:
        return
    entries = sorted((entry for entry in entries if not is_litter(entry.name)), key=lambda entry: entry.name)
    folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    for entry in entries:
        if entry not in folders:
            yield inside + readable(entry.name), entry
    if depth < DEPTH_LIMIT:
        for entry in folders:
            yield inside + readable(entry.name), entry
            yield from _walk(folder / entry.name, f"{inside}{readable(entry.name)}/", depth + 1)
