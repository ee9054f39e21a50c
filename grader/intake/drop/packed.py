"""An archive of a class, of whatever kind: its members by number, and the bytes of one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from grader.errors import UsageError

UNPACKED_LIMIT = 4_000_000_000  # bytes of a whole class, or
RATIO_LIMIT = 50  # bytes out for each byte of the archive, where that is more


@dataclass(frozen=True, slots=True)
class Member:
    """A member under the name that its packer spelled, with plain slashes or not."""

    name: str
    changed: float
    is_folder: bool = False
    bad: str = ""  # why it must not be read


class Packed(Protocol):
    """An open archive. Nothing of it is unpacked to a path that it names."""

    def members(self) -> Iterator[Member]:
        """In the archive's order; a member's number is its place there."""

    def read(self, number: int, name: str, limit: int) -> bytes:
        """The bytes of a member; ``name`` is for people.

        Raises:
            NotGradable: more than ``limit``, damaged, or behind a password.
        """

    def close(self) -> None:
        """Let go of the file."""


def unpacked_limit(size: int) -> int:
    """How much an archive of this size may unpack to."""
    return max(UNPACKED_LIMIT, size * RATIO_LIMIT)


def too_many(path: object, most: int) -> UsageError:
    return UsageError(f"{path} holds more than {most} files; is it the right one?")


def too_much(path: object, most: int) -> UsageError:
    return UsageError(
        f"{path} unpacks to more than {most / 1e9:.3g} GB, far more than its size tells; look into it before it is "
        "graded, or unpack it by hand and give its folder"
    )
