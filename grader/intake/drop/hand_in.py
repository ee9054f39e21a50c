"""What a layout finds: one hand-in, whose it seems to be, and the files that belong to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.intake.drop.entries import Drop, Entry
from grader.model.submission import Flag


@dataclass(frozen=True, slots=True)
class Person:
    """Who handed in, as far as the platform says; "" is unknown. ``id`` is what the platform calls them by."""

    id: str
    name: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A file of a hand-in under the name its author gave it."""

    path: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class HandIn:
    """One hand-in of one student or group."""

    submission: str
    people: tuple[Person, ...]
    pieces: tuple[Piece, ...]
    label: str  # what the platform put before or around the student's own file names
    shown: str  # where it stands in the drop, for people
    whole: Entry | None = None  # the one entry of the drop that is all of it
    when: float = 0.0
    submitted: str = ""  # when it came, in the words of the platform's own data; "" is unknown
    ids_are_local: bool = False  # the platform's number means nothing outside this assignment
    set_aside: bool = False  # the platform says that another of the same students' counts
    flags: tuple[Flag, ...] = ()
    back: str = ""  # what the platform wants in front of the name of a file that goes back to the student

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(piece.path for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a layout made of a drop: hand-ins, and what it has no place for."""

    hand_ins: tuple[HandIn, ...]
    rest: tuple[Entry, ...] = ()  # entries at the top that fit no rule


@dataclass(frozen=True, slots=True)
class Tree:
    """A drop as a layout sees it: what stands in the folder ``base`` alone ("" is all of it)."""

    drop: Drop
    base: str = ""

    @property
    def top(self) -> tuple[Entry, ...]:
        """The entries at the top, by name."""
        return self.drop.children(self.base)

    @property
    def name(self) -> str:
        return self.base.rsplit("/", 1)[-1] or self.drop.name

    def below(self, entry: Entry) -> tuple[Piece, ...]:
        """The files of a folder under their paths in it; of a file, itself."""
        return tuple(self._below(entry, "")) if entry.is_folder else (Piece(entry.name, entry),)

    def inside(self, entry: Entry) -> Tree:
        return Tree(self.drop, entry.path)

    def _below(self, folder: Entry, above: str) -> Iterator[Piece]:
        for entry in self.drop.children(folder.path):
            if entry.is_folder:
                yield from self._below(entry, f"{above}{entry.name}/")
            else:
                yield Piece(above + entry.name, entry)


def newest(pieces: tuple[Piece, ...]) -> float:
    """When the last of these files was changed."""
    return max((piece.entry.changed for piece in pieces), default=0.0)
