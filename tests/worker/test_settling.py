"""The memory of the process that workers are forked from: new blocks come side by side, and nothing has to work."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

BLOCKS = """
import ctypes
from grader.worker.settling import settle
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
libc.free.argtypes = (ctypes.c_void_p,)
held = [libc.malloc(200) for _ in range(20_000)]
for block in held[::2]:
    libc.free(block)
def side_by_side():
    blocks = [libc.malloc(200) for _ in range(40)]
    return sum(b - a == 208 for a, b in zip(blocks, blocks[1:]))
before = side_by_side()
settle()
print(before, side_by_side())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another library lays its blocks out in its own way")
def test_no_hole_is_left_for_what_a_worker_will_ask_for() -> None:
    run = subprocess.run([sys.executable, "-c", BLOCKS], capture_output=True, text=True, check=True)
    before, after = map(int, run.stdout.split())
    assert before < 10 and after > 30


def test_where_the_system_has_none_of_it_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.worker import settling

    class Bare:
        def __getattr__(self, name: str) -> object:
            raise AttributeError(name)

    monkeypatch.setattr(settling.ctypes, "CDLL", lambda name: Bare())
    settling.settle()
