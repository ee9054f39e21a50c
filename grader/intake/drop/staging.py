"""A hand-in as one path that can be graded: as it lies on disk, or packed anew under a name of ours.

No path of an archive is ever written to: the student's own names stand only inside the new zip.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.errors import NotGradable
from grader.intake import refusals
from grader.intake.drop.entries import Drop
from grader.intake.drop.hand_in import HandIn, Piece
from grader.intake.folder import TOTAL_LIMIT, ending_of_archive
from grader.intake.found import kind_of, limit_of
from grader.model.course import Text
from grader.model.submission import Flag

_FILES_LIMIT = 1_000
_UNREADABLE = {".rar": "RAR", ".7z": "7z"}


@dataclass(frozen=True, slots=True)
class Staged:
    """Where a hand-in lies now, what was left out of it, and why it cannot be graded, if that is known."""

    path: Path
    flags: tuple[Flag, ...] = ()
    reason: Text | None = None


def stage(drop: Drop, hand_in: HandIn, place: Path) -> Staged:
    """Make one path of a hand-in; ``place`` is a new file's path without its ending, its folder exists."""
    reason = _unreadable(hand_in.pieces)
    if hand_in.whole is not None and hand_in.whole.on_disk is not None:
        return Staged(hand_in.whole.on_disk, reason=reason)
    archives = [piece for piece in hand_in.pieces if ending_of_archive(piece.path)]
    if len(archives) == 1 and not any(kind_of(piece.path) for piece in hand_in.pieces):
        try:
            data = drop.read(archives[0].entry, TOTAL_LIMIT)
        except NotGradable as wrong:
            return replace(_packed(drop, (), place), reason=wrong.reason)
        target = place.with_name(place.name + ending_of_archive(archives[0].path))
        target.write_bytes(data)
        return Staged(target)
    staged = _packed(drop, hand_in.pieces, place)
    return staged if reason is None else replace(staged, reason=reason)


def _packed(drop: Drop, pieces: Sequence[Piece], place: Path) -> Staged:
    """A zip of these files; where none of their code could be read, why."""
    target, flags, total = place.with_name(place.name + ".zip"), list[Flag](), 0
    refused, read = None, False
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path, piece in _apart(pieces[:_FILES_LIMIT]):
            kind, data = kind_of(path.rsplit("/", 1)[-1]), b""
            if kind is not None:  # of all else the name alone is wanted, to tell what was handed in instead
                try:
                    data = drop.read(piece.entry, min(limit_of(kind), TOTAL_LIMIT - total))
                except NotGradable as wrong:
                    flags.append(Flag("file_left_out", f"{path}: {wrong.reason.en}"))
                    refused = wrong.reason
                    continue
                read = True
            total += len(data)
            member = zipfile.ZipInfo(path, _date(piece.entry.changed))
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, data)
    if len(pieces) > _FILES_LIMIT:
        flags.append(Flag("file_left_out", f"more than {_FILES_LIMIT} files"))
    return Staged(target, tuple(flags), None if read else refused)


def _apart(pieces: Sequence[Piece]) -> Iterator[tuple[str, Piece]]:
    """Paths that no two share: of several files of one name the last keeps it."""
    left = Counter(piece.path for piece in pieces)
    several = {path for path, count in left.items() if count > 1}
    for piece in pieces:
        left[piece.path] -= 1
        if piece.path in several and left[piece.path]:
            folder, slash, name = piece.path.rpartition("/")
            stem, dot, ending = name.partition(".")
            yield f"{folder}{slash}{stem} ({left[piece.path]}){dot}{ending}", piece
        else:
            yield piece.path, piece


def _date(changed: float) -> tuple[int, int, int, int, int, int]:
    import time

    year, month, day, hour, minute, second = time.localtime(changed)[:6]
    return (year, month, day, hour, minute, second) if 1980 <= year < 2108 else (1980, 1, 1, 0, 0, 0)


def _unreadable(pieces: Sequence[Piece]) -> Text | None:
    """What to ask for where an archive of a kind that is not read is all there is."""
    if any(kind_of(piece.path.rsplit("/", 1)[-1]) or ending_of_archive(piece.path) for piece in pieces):
        return None
    for piece in pieces:
        for ending, kind in _UNREADABLE.items():
            if piece.path.lower().endswith(ending):
                return refusals.other_archive(piece.path, kind).reason
    return None
