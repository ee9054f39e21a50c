"""Everything in a drop by name: the files of a folder on disk, or the members of the platform's own archive.

A name is a label here, never a place to write to; bytes are read one file at a time, within bounds.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from grader.intake import refusals
from grader.intake.drop.packed import Packed, too_much
from grader.intake.folder import is_litter
from grader.intake.found import read_regular, showing

ENTRIES_LIMIT = 200_000  # of a whole class
TWIN = "\0"
# By systems and tools, not students.
_LEFT_BEHIND = frozenset({
    "__macosx", "__pycache__", "desktop.ini", "thumbs.db", "ehthumbs.db", "$recycle.bin", "system volume information",
    "lost+found", "node_modules", "site-packages",
})  # fmt: skip


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
    member: int = -1  # its number in the archive

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
    archive: Packed | None = None
    within: str = ""  # the archive that this was found in, where that was all there was
    most: int = 0  # bytes that may be read of an archive in all; 0: no bound
    kept: ExitStack = field(default_factory=ExitStack)  # what goes when the drop is closed
    _taken: int = 0
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
            UsageError: the archive unpacks to more than any class hands in.
        """
        if entry.on_disk is not None:
            return read_regular(entry.on_disk, limit)
        if self.archive is None or entry.bad:
            raise refusals.no_regular_file(entry.name)
        data = self.archive.read(entry.member, entry.name, limit)
        self._taken += len(data)
        if self.most and self._taken > self.most:
            raise too_much(self.name, self.most)
        return data

    def close(self) -> None:
        if self.archive is not None:
            self.archive.close()
        self.kept.close()


class Spellings:
    """Gives every name of a drop a path of its own, also names that differ in nothing that shows."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()

    def place(self, above: str, name: str) -> str:
        """The path of a name in a folder that has its path already ("" is the top)."""
        if (above, name) not in self._known:
            # A slash cannot stand in a name on disk; what reads as one must not become one.
            path = f"{above}/" * bool(above) + showing(name).replace("/", "\ufffd")
            while path in self._taken:
                path += TWIN
            self._taken.add(path)
            self._known[above, name] = path
        return self._known[above, name]

    def path(self, spelled: str) -> str:
        """The path of a name with slashes."""
        above = ""
        for part in spelled.split("/"):
            above = self.place(above, part)
        return above


def is_junk(part: str, depth: int) -> bool:
    """Names that systems and editors leave behind. At the top a student may well be called ``env``."""
    return part.startswith(".") or part.lower() in _LEFT_BEHIND or (depth > 0 and is_litter(part))
