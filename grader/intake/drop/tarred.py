"""A class as a tar, plain or packed with gzip, bzip2 or xz."""

from __future__ import annotations

import bz2
import gzip
import lzma
import mmap
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from grader.errors import UsageError
from grader.intake import refusals
from grader.intake.drop import packed
from grader.intake.drop.packed import too_many, too_much, unpacked_limit
from grader.intake.found import decoded
from grader.intake.tar import BZIP2, GZIP, XZ, Damaged, Member, members_of
from grader.model.course import Text

_PACKED = ((GZIP, gzip.open), (BZIP2, bz2.open), (XZ, lzma.open))
_PIECE = 1 << 20


class Tar:
    """See `Packed`. What was packed is unpacked whole into a file without a name, which goes with the process."""

    def __init__(self, path: Path, most: int) -> None:
        """Raises ``UsageError``: no tar, damaged, too big, or with more than ``most`` members."""
        self._open = ExitStack()
        self._members: list[Member] = []
        try:
            self._members = self._listed(path, most)
        except (Damaged, OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as wrong:
            self.close()
            said = f" ({wrong})" if str(wrong) else ""
            raise UsageError(f"{path} is no .tar that can be read{said}; download it again") from None
        except UsageError:
            self.close()
            raise

    def _listed(self, path: Path, most: int) -> list[Member]:
        plain = _plain(path, self._open)
        blocks = memoryview(mmap.mmap(plain.fileno(), 0, access=mmap.ACCESS_READ))  # goes with its last member
        found: list[Member] = []
        for member in members_of(blocks):
            found.append(member)
            if len(found) > most:
                raise too_many(path, most)
        return found

    def members(self) -> Iterator[packed.Member]:
        for member in self._members:
            bad = "" if member.is_folder or member.is_file else "a link or a device"
            name = member.name.decode("utf-8", "surrogateescape")
            yield packed.Member(decoded(name), member.changed, member.is_folder, bad)

    def read(self, number: int, name: str, limit: int) -> bytes:
        data = self._members[number].data
        if len(data) > limit:
            raise refusals.too_big(name, limit, Text("hand in your code only", "请只提交代码"))
        return bytes(data)

    def close(self) -> None:
        self._members = []
        self._open.close()


def _plain(path: Path, opened: ExitStack) -> IO[bytes]:
    """The tar itself: the file, or what it unpacks to."""
    file = opened.enter_context(path.open("rb"))
    head = file.read(8)
    opener = next((opener for magic, opener in _PACKED if head.startswith(magic)), None)
    if opener is None:
        return file
    most, taken = unpacked_limit(path.stat().st_size), 0
    plain = opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed with the others
    with opener(path) as packed_file:
        while piece := packed_file.read(_PIECE):
            taken += len(piece)
            if taken > most:
                raise too_much(path, most)
            plain.write(piece)
    plain.flush()
    return plain
