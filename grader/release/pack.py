"""The private parts of a course as one file that is always the same bytes, known by its digest."""

from __future__ import annotations

import hashlib
import hmac
import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from grader.errors import UsageError
from grader.model.course import Course
from grader.release.folder import is_litter
from grader.release.single import packed

_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_SIZE_LIMIT: Final = 200_000_000  # bytes, packed and unpacked


def pack(course: Course) -> bytes:
    """Every private file of the assignments, below their names. Raises ``UsageError`` where one has none."""
    members: dict[str, bytes] = {}
    for assignment in course.assignments:
        folder = assignment.reference
        if folder is None:
            raise UsageError(f"{assignment.name} has no reference here; name its folder with --reference DIR")
        for path in sorted(folder.rglob("*")):
            inner = path.relative_to(folder)
            if path.is_file() and not path.is_symlink() and not is_litter(inner):
                members[f"{assignment.name}/{inner.as_posix()}"] = path.read_bytes()
    return packed(members)


def digest_of(data: bytes) -> str:
    """As it is printed and pinned: ``sha256:`` and 64 digits."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@contextmanager
def unpacked(path: Path, pinned: str) -> Iterator[Path]:
    """The pack's content in a folder that only we can read, gone again afterwards.

    Raises:
        UsageError: it cannot be read, or is not the pack that was pinned; nothing of it was looked at then.
    """
    data = _read(path)
    found = digest_of(data)
    if _DIGEST.fullmatch(pinned) is None:
        raise UsageError(f"--pack-digest {pinned!r} is no digest; 'grader pack' prints one: sha256: and 64 digits")
    if not hmac.compare_digest(found, pinned):
        raise UsageError(f"{path} is not the pack that was pinned: it has {found}, --pack-digest says {pinned}")
    with TemporaryDirectory(prefix="grader-pack-") as folder:  # mode 0700
        _unpack(data, Path(folder), path)
        yield Path(folder)


def _read(path: Path) -> bytes:
    """Once, so that what was measured is what is used."""
    try:
        with path.open("rb") as file:
            data = file.read(_SIZE_LIMIT + 1)
    except OSError as wrong:
        raise UsageError(f"--pack {path}: {wrong.strerror or wrong}") from None
    if len(data) > _SIZE_LIMIT:
        raise UsageError(f"--pack {path} is larger than {_SIZE_LIMIT // 1_000_000} MB")
    return data


def _unpack(data: bytes, folder: Path, path: Path) -> None:
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                target = (folder / member.filename).resolve()
                total += member.file_size
                if not target.is_relative_to(folder.resolve()) or total > _SIZE_LIMIT:
                    raise UsageError(f"--pack {path}: {member.filename} does not belong into a pack")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(member))
    except (zipfile.BadZipFile, OSError) as wrong:
        raise UsageError(f"--pack {path} is no pack: {wrong}") from None
