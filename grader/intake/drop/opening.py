"""From a path to everything that a drop holds: a folder on disk, a zip or a tar."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from grader.errors import UsageError
from grader.intake.archive import inside
from grader.intake.drop.entries import ENTRIES_LIMIT, Drop, Entry, Spellings, is_junk
from grader.intake.drop.packed import Packed, too_many, unpacked_limit
from grader.intake.drop.tarred import Tar
from grader.intake.drop.zipped import Zip
from grader.intake.found import decoded, readable
from grader.intake.tar import looks_like_tar

DEPTH_LIMIT = 20
_HEAD = 512  # bytes
_ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_WANTED = "batch grades a folder with one file or folder a submission, or such a folder as .zip or .tar.gz"


def open_drop(path: Path) -> Drop:
    """List a folder or an archive of a class.

    Raises:
        UsageError: it is neither, is empty, or cannot be read; says what to do.
    """
    if path.is_dir():
        drop = _list_folder(path)
    elif path.is_file():
        drop = _list_packed(path)
    else:
        raise UsageError(f"there is nothing at {path}; {_WANTED}")
    if not drop.entries:
        drop.close()
        raise UsageError(f"{path} is empty; {_WANTED}")
    return drop


def ending_of_class(name: str) -> str:
    """The ending of an archive that may hold a class, else ""."""
    return max((ending for ending in _ENDINGS if name.lower().endswith(ending)), key=len, default="")


def _list_folder(folder: Path) -> Drop:
    repositories: set[str] = set()
    entries: list[Entry] = []
    for entry in _walk(folder, "", 0, repositories, Spellings()):
        if len(entries) >= ENTRIES_LIMIT:
            raise too_many(folder, ENTRIES_LIMIT)
        entries.append(entry)
    return Drop(readable(folder.name), tuple(entries), frozenset(repositories))


def _walk(folder: Path, above: str, depth: int, repositories: set[str], spellings: Spellings) -> Iterator[Entry]:
    try:
        with os.scandir(folder) as found:
            items = sorted(found, key=lambda item: item.name)
    except OSError as wrong:
        if depth == 0:
            raise UsageError(f"cannot read {folder}: {wrong.strerror or wrong}") from None
        return
    for item in items:
        if item.name == ".git":
            repositories.add(above)
        if is_junk(item.name, depth):
            continue
        path = spellings.place(above, decoded(item.name))
        is_folder = item.is_dir(follow_symlinks=False)
        yield Entry(path, item.stat(follow_symlinks=False).st_mtime, is_folder, on_disk=Path(item.path))
        if is_folder and depth < DEPTH_LIMIT:
            yield from _walk(Path(item.path), path, depth + 1, repositories, spellings)


def _list_packed(path: Path) -> Drop:
    archive = _opened(path)
    found: dict[str, Entry] = {}
    repositories: set[str] = set()
    left_out: list[str] = []
    spellings = Spellings()
    for number, member in enumerate(archive.members()):
        whole = inside(member.name)
        if whole is None:
            left_out.append(f"{member.name[:200]}: its path is too long, or leads out of the archive")
            continue
        parts = whole.split("/")
        if ".git" in parts:
            repositories.add(spellings.path("/".join(parts[: parts.index(".git")])))
        if any(is_junk(part, depth) for depth, part in enumerate(parts)):
            continue
        place = spellings.path(whole)
        if place in found and not member.is_folder:
            left_out.append(f"{place}: it is there more than once; the last one counts")
        found[place] = Entry(place, member.changed, member.is_folder, member.bad, member=number)
    name = readable(path.name)
    entries = _with_folders(found, left_out)
    return Drop(
        name[: len(name) - len(ending_of_class(name))],
        entries,
        frozenset(repositories),
        left_out,
        archive,
        most=unpacked_limit(path.stat().st_size),
    )


def _opened(path: Path) -> Packed:
    """By what it holds: a name may say anything."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as wrong:
        raise UsageError(f"cannot read {path}: {wrong.strerror or wrong}") from None
    ending = ending_of_class(path.name)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")) or ending == ".zip":
        return Zip(path, ENTRIES_LIMIT)
    if looks_like_tar(head) or ending:
        return Tar(path, ENTRIES_LIMIT)
    raise UsageError(f"{path} is neither a folder nor a .zip or .tar.gz; unpack it, then give its folder")


def _with_folders(found: dict[str, Entry], left_out: list[str]) -> tuple[Entry, ...]:
    """The members and every folder above them, which many packers do not list."""
    for path in list(found):
        parts = path.split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            held = found.get(above)
            if held is not None and not held.is_folder:
                left_out.append(f"{above}: a file and a folder have this name; the folder counts")
            if held is None or not held.is_folder:
                found[above] = Entry(above, is_folder=True)
    return tuple(found[path] for path in sorted(found))
