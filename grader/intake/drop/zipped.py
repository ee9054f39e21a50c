"""A class as a zip: of Windows, macOS or a platform, with or without sizes of 64 bits."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from grader.errors import NotGradable, UsageError
from grader.intake import refusals
from grader.intake.archive import DAMAGED, UNUSUAL, changed_at, raw_name, refuse_overlaps, spelled_name
from grader.intake.drop.packed import Member, too_many
from grader.intake.name_codec import codec_of
from grader.model.course import Text

_RATIO_LIMIT = 200  # bytes out for each byte in, of one member
_ENCRYPTED = 0x1
_TAIL = 66_000  # bytes: the end record lies in them, behind a comment of any length
_END, _FAR_PLACE, _FAR_END = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_WRONG = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, OverflowError, RuntimeError, struct.error)


class Zip:
    """See `Packed`."""

    def __init__(self, path: Path, most: int) -> None:
        """Raises ``UsageError``: no zip, damaged, or with more than ``most`` members."""
        try:
            with path.open("rb") as file:
                count = _count(file)
            if count > most:
                raise too_many(path, most)
            self._archive = zipfile.ZipFile(path)
        except (*_WRONG, NotImplementedError) as wrong:
            raise UsageError(f"{path} is no .zip that can be read ({wrong}); download it again") from None
        self._members = self._archive.infolist()
        try:
            refuse_overlaps(self._members, path.stat().st_size, path.name)
        except NotGradable:
            self.close()
            raise UsageError(f"{path} is damaged: its members overlap; download it again") from None

    def members(self) -> Iterator[Member]:
        codec = codec_of(filter(None, map(raw_name, self._members)))
        for member in self._members:
            kind = stat.S_IFMT(member.external_attr >> 16)
            # Some packers of Windows write backslashes, and a folder as an empty file whose name ends with one.
            is_folder = member.is_dir() or (member.filename.endswith("\\") and not member.file_size)
            bad = "a link or a device" if not is_folder and kind not in (0, stat.S_IFREG) else ""
            yield Member(spelled_name(member, codec), changed_at(member), is_folder, bad)

    def read(self, number: int, name: str, limit: int) -> bytes:
        member = self._members[number]
        if member.flag_bits & _ENCRYPTED:
            raise refusals.no_archive(name, Text("it needs a password; pack it without", "需要密码；请不加密打包"))
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others allocate what they please
            raise refusals.no_archive(name, UNUSUAL)
        most = min(limit, max(member.compress_size, 1_000) * _RATIO_LIMIT)
        try:
            with self._archive.open(member) as file:
                data = file.read(most + 1)  # counted while reading: the sizes in the list may lie
        except _WRONG:
            raise refusals.no_archive(name, DAMAGED) from None
        if len(data) > most:
            raise refusals.too_big(name, limit, Text("hand in your code only", "请只提交代码"))
        return data

    def close(self) -> None:
        self._archive.close()


def _count(file: BinaryIO) -> int:
    """How many members the end of a zip tells of, before anything reads their list; 0 where it tells nothing."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _TAIL))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        return 0
    (count,) = struct.unpack_from("<H", tail, at + 10)
    if count == 0xFFFF and at >= 20 and tail[at - 20 : at - 16] == _FAR_PLACE:
        (place,) = struct.unpack_from("<Q", tail, at - 12)
        file.seek(min(place, size))
        far = file.read(40)
        if len(far) == 40 and far.startswith(_FAR_END):
            (count,) = struct.unpack_from("<Q", far, 32)
    return int(count)
