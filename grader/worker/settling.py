"""Puts the zygote's memory in order, so that a fork copies little and a worker touches few pages that are shared."""

from __future__ import annotations

import ctypes
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

_COLLAPSE: Final = 25  # madvise: whole pages of 2 MiB, now (Linux 6.1)
_LARGE: Final = 2 << 20
_SIZES: Final = (*range(24, 1032, 16), *range(1032, 16384, 512))
_IN_A_ROW: Final = 40  # blocks that lie side by side: no hole is left for their size
_MOST: Final = 32 << 20  # bytes in all: a library that never puts two side by side is left alone


def settle() -> None:
    """Nothing of this has to work."""
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        _fill_holes(libc)
        _collapse(libc)


def _fill_holes(libc: ctypes.CDLL) -> None:
    """Take the free blocks between those in use: a worker then gets new memory in one piece."""
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    left = _MOST
    for size in _SIZES:
        step, last, row = (size + 8 + 15) // 16 * 16, 0, 0  # glibc keeps 8 bytes before each, and whole sixteens
        while row < _IN_A_ROW and left > 0:
            at = libc.malloc(size) or 0
            row = row + 1 if at - last == step else 0
            last, left = at, left - size


def _collapse(libc: ctypes.CDLL) -> None:
    """Anonymous memory in few large pages."""
    libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in Path("/proc/self/maps").read_text().splitlines():
        found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0\s*(\[heap\])?$", line)
        if found and (size := int(found[2], 16) - int(found[1], 16)) >= _LARGE:
            libc.madvise(int(found[1], 16), size, _COLLAPSE)
