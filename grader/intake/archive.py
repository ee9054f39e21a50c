"""Every file of one student's zip that may matter, read member by member in memory; nothing is unpacked to disk."""

from __future__ import annotations

import io
import stat
import struct
import time
import zipfile
import zlib
from itertools import pairwise

from grader.intake import refusals
from grader.intake.folder import DEPTH_LIMIT, ENTRIES_LIMIT, TOTAL_LIMIT, Contents, is_litter
from grader.intake.found import Found, decoded, kind_of, limit_of, showing
from grader.model.course import Text

_RATIO_LIMIT = 200  # bytes out for each byte in
_DIRECTORY_LIMIT = 4_000_000  # bytes of the list of members
_UTF8_NAME, _ENCRYPTED = 0x800, 0x1
_HEADER_SIZE, _NAME_LIMIT = 30, 500
_END, _END_SIZE, _FAR_END = b"PK\x05\x06", 22, b"PK\x06\x07"
DAMAGED = Text("it is damaged; pack it again as .zip", "文件已损坏；请重新打包为 .zip")
UNUSUAL = Text("it uses an unusual compression; pack it as a plain .zip", "压缩方式特殊；请用普通 .zip 打包")
TOO_MUCH = Text("it holds far too many files; hand in your code only", "文件过多；请只提交代码")


def read_archive(data: bytes, name: str) -> Contents:
    """Read the code of a zip.

    Raises:
        NotGradable: damaged, encrypted, or with a list of members beyond every bound.
    """
    _check_directory(data, name)
    contents, total = Contents(), 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > ENTRIES_LIMIT:
                raise refusals.no_archive(name, TOO_MUCH)
            refuse_overlaps(members, len(data), name)
            for member in members:
                found = _member(archive, member, name, contents)
                if found is not None:
                    total += len(found.data)
                    if total > TOTAL_LIMIT:
                        raise refusals.no_archive(name, TOO_MUCH)
                    contents.take(found)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, OverflowError, struct.error):
        raise refusals.no_archive(name, DAMAGED) from None
    except (NotImplementedError, RuntimeError):
        raise refusals.no_archive(name, UNUSUAL) from None
    return contents


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, contents: Contents) -> Found | None:
    """A member that is code, within all bounds; everything else is noted and left out."""
    path = inside(member_name(member))
    if path is None:
        contents.leave_out(member_name(member)[:_NAME_LIMIT], "its path is too long, or leads out of the archive")
        return None
    if member.is_dir() or any(map(is_litter, path.split("/"))):
        return None
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        contents.leave_out(path, "a link or a device")
        return None
    kind = kind_of(path.rsplit("/", 1)[-1])
    if kind is None:
        contents.other.append(path)
        return None
    if member.flag_bits & _ENCRYPTED:
        raise refusals.no_archive(name, Text("it needs a password; pack it without", "需要密码；请不加密打包"))
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others allocate what they please
        raise refusals.no_archive(name, UNUSUAL)
    limit = min(limit_of(kind), max(member.compress_size, 1_000) * _RATIO_LIMIT)
    with archive.open(member) as file:
        data = file.read(limit + 1)  # counted while reading: the sizes in the list may lie
    if len(data) > limit:
        contents.leave_out(path, f"more than {limit} bytes, or packed too tightly")
        contents.refused = refusals.too_big(path, limit, Text("hand in your code only", "请只提交代码"))
        return None
    return Found(path, data, changed_at(member))


def inside(path: str) -> str | None:
    """A member's path with plain slashes, or None where it is absolute, climbs, lies too deep or never ends."""
    path = path.replace("\\", "/")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    leads_out = path.startswith("/") or ".." in parts or ":" in path[:2]
    if leads_out or not parts or len(parts) > DEPTH_LIMIT or len(path) > _NAME_LIMIT:
        return None
    return "/".join(parts)


def member_name(member: zipfile.ZipInfo) -> str:
    """The member's name: marked as UTF-8, else UTF-8 or GBK behind the old default."""
    return showing(spelled_name(member))


def spelled_name(member: zipfile.ZipInfo, codec: str = "gb18030") -> str:
    """The same as its packer spelled it: composed or not."""
    raw = raw_name(member)
    if raw is None:
        return decoded(member.filename)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return decoded(raw.decode("utf-8", "surrogateescape"), codec)


def raw_name(member: zipfile.ZipInfo) -> bytes | None:
    """The bytes of a name that does not say its encoding."""
    try:
        return None if member.flag_bits & _UTF8_NAME else member.filename.encode("cp437")
    except UnicodeEncodeError:
        return None


def refuse_overlaps(members: list[zipfile.ZipInfo], size: int, name: str) -> None:
    """No honest archive packs one stretch of bytes into two members; a bomb does, to unpack it many times.

    Raises:
        NotGradable: two members overlap.
    """
    spans = sorted((m.header_offset, m.header_offset + _HEADER_SIZE + m.compress_size) for m in members)
    for (_, end), (begin, _) in pairwise([*spans, (size, size)]):
        if end > begin:
            raise refusals.no_archive(name, DAMAGED)


def changed_at(member: zipfile.ZipInfo) -> float:
    """When the member was last changed, as far as its packer says."""
    try:
        return time.mktime((*member.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0


def _check_directory(data: bytes, name: str) -> None:
    """Look at the end of the archive before anything reads its list: a huge one would fill the memory."""
    at = len(data) - _END_SIZE
    if at < 0 or data[at : at + 4] != _END or data[-2:] != b"\0\0":
        at = data.rfind(_END, max(0, len(data) - _END_SIZE - 65_535))
    if at < 0 or len(data) - at < _END_SIZE:
        raise refusals.no_archive(name, DAMAGED)
    count, size = struct.unpack_from("<HI", data, at + 10)
    if size > _DIRECTORY_LIMIT or count > ENTRIES_LIMIT or data[max(0, at - 20) : at].startswith(_FAR_END):
        raise refusals.no_archive(name, TOO_MUCH)
