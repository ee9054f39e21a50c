"""Every file of one student's tar, packed or not, that may matter, read block by block; nothing is unpacked to disk."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from grader.intake import refusals
from grader.intake.archive import DAMAGED, TOO_MUCH, inside
from grader.intake.folder import ENTRIES_LIMIT, Contents, is_litter
from grader.intake.found import Found, kind_of, limit_of, readable
from grader.model.course import Text

UNPACKED_LIMIT: Final = 100_000_000  # bytes of a tar once gzip is taken off
_RATIO_LIMIT: Final = 200  # bytes out for each byte in
_BLOCK: Final = 512
GZIP, BZIP2, XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"
_MAGIC, _MAGIC_AT = b"ustar", 257
_LONG_NAME_LIMIT: Final = 65_536  # bytes of what an extended header says
_FILES, _FOLDER = b"0\0" + b"7", b"5"
_NAMES_NEXT, _LINK_NAME, _PAX, _PAX_GLOBAL = b"L", b"K", b"x", b"g"


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of a tar; ``name`` is its bytes in the archive."""

    name: bytes
    kind: bytes
    data: memoryview
    changed: float

    @property
    def is_folder(self) -> bool:
        return self.kind == _FOLDER

    @property
    def is_file(self) -> bool:
        return self.kind in _FILES

    @property
    def path(self) -> str:
        return readable(self.name.decode("utf-8", "surrogateescape"))


class Damaged(ValueError):
    """No tar, or cut off."""


def read_tar(data: bytes, name: str) -> Contents:
    """Read the code of a tar.

    Raises:
        NotGradable: damaged, or beyond every bound.
    """
    contents = Contents()
    try:
        for number, member in enumerate(members_of(_unpacked(data, name)), start=1):
            if number > ENTRIES_LIMIT:
                raise refusals.no_archive(name, TOO_MUCH)
            _take(member, contents)
    except (Damaged, zlib.error, lzma.LZMAError, OSError, EOFError, ValueError):
        raise refusals.no_archive(name, DAMAGED) from None
    return contents


def looks_like_tar(head: bytes) -> bool:
    """By the first bytes; of what is packed they show no more than that it is."""
    return head.startswith((GZIP, BZIP2, XZ)) or head[_MAGIC_AT:].startswith(_MAGIC)


def _unpacked(data: bytes, name: str) -> memoryview:
    packed: Any
    if data.startswith(GZIP):
        packed = zlib.decompressobj(16 + zlib.MAX_WBITS)
    elif data.startswith(XZ):
        packed = lzma.LZMADecompressor(memlimit=UNPACKED_LIMIT)  # a header may ask for any amount
    elif data.startswith(BZIP2):
        packed = bz2.BZ2Decompressor()
    else:
        return memoryview(data)
    limit = min(UNPACKED_LIMIT, max(len(data), 1_000) * _RATIO_LIMIT)
    plain = packed.decompress(data, limit + 1)  # counted while unpacking: a size told beforehand may be wrong
    if len(plain) > limit:
        raise refusals.no_archive(name, TOO_MUCH)
    if not packed.eof:
        raise Damaged
    return memoryview(plain)


def _take(member: Member, contents: Contents) -> None:
    """A member that is code, within all bounds; everything else is noted and left out."""
    path = inside(member.path)
    if path is None:
        contents.leave_out(member.path[:200], "its path is too long, or leads out of the archive")
    elif member.is_folder or any(map(is_litter, path.split("/"))):
        return
    elif not member.is_file:
        contents.leave_out(path, "a link or a device")
    elif (kind := kind_of(path.rsplit("/", 1)[-1])) is None:
        contents.other.append(path)
    elif len(member.data) > (limit := limit_of(kind)):
        contents.leave_out(path, f"more than {limit} bytes")
        contents.refused = refusals.too_big(path, limit, Text("hand in your code only", "请只提交代码"))
    else:
        contents.take(Found(path, bytes(member.data), member.changed))


def members_of(blocks: memoryview) -> Iterator[Member]:
    """The members in order; names from extended headers put in their place.

    Raises:
        Damaged: no tar, or cut off.
    """
    at, name = 0, b""
    while at < len(blocks):
        head = bytes(blocks[at : at + _BLOCK])
        if not head.strip(b"\0"):
            return
        if len(head) < _BLOCK or not _adds_up(head):
            raise Damaged
        size, kind = _number(head[124:136]), head[156:157]
        data = blocks[at + _BLOCK : at + _BLOCK + size]
        if len(data) < size:
            raise Damaged
        at += _BLOCK + (size + _BLOCK - 1) // _BLOCK * _BLOCK
        if kind in (_NAMES_NEXT, _PAX):
            if size > _LONG_NAME_LIMIT:
                raise Damaged
            name = bytes(data).rstrip(b"\0") if kind == _NAMES_NEXT else _pax_path(bytes(data)) or name
        elif kind not in (_LINK_NAME, _PAX_GLOBAL):
            yield Member(name or _short_name(head), kind, data, float(_number(head[136:148])))
            name = b""


def _adds_up(head: bytes) -> bool:
    return _number(head[148:156]) == sum(head[:148]) + 8 * 32 + sum(head[156:])


def _number(field: bytes) -> int:
    """A field's number: octal digits, or binary behind a set first bit."""
    if field[0] & 0x80:
        return int.from_bytes(field, "big") & ((1 << (8 * len(field) - 1)) - 1)
    digits = field.split(b"\0")[0].strip()
    if not all(byte in b"01234567" for byte in digits):
        raise Damaged
    return int(digits or b"0", 8)


def _short_name(head: bytes) -> bytes:
    name = head[:100].split(b"\0")[0]
    before = head[345:500].split(b"\0")[0] if head[257:263] == b"ustar\0" else b""
    return before + b"/" + name if before else name


def _pax_path(records: bytes) -> bytes:
    """The ``path`` of an extended header: records of ``length key=value``, each ended by a new line."""
    at = 0
    while at < len(records):
        digits, blank, _ = records[at : at + 12].partition(b" ")
        if not blank or not digits.isdigit() or not (length := int(digits)):
            raise Damaged
        key, _, value = records[at + len(digits) + 1 : at + length].partition(b"=")
        if key == b"path":
            return value.rstrip(b"\n").split(b"\0")[0]
        at += length
    return b""
