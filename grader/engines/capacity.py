"""How many grading processes this machine has room for."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

HOST_MIB = 700  # a host, its session, its zygote and a worker: each has torch of its own

_CGROUP = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")


def can_fork() -> bool:
    """Whether this system has what workers and their walls are made of."""
    return sys.platform == "linux" and hasattr(os, "fork")


def fitting(cores: int, free_mib: int | None) -> int:
    """One for each core, fewer where memory is short, never none."""
    return max(1, cores if free_mib is None else min(cores, free_mib // HOST_MIB))


def usable_cores(cgroup: Path = _CGROUP) -> int:
    """The cores this process may run on, and no more than a container's share of them."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        cores = os.cpu_count() or 1
    with suppress(OSError, ValueError):
        quota, period = (cgroup / "cpu.max").read_text().split()
        if quota != "max":
            return max(1, min(cores, int(quota) // int(period)))
    return cores


def cores_for(count: int) -> list[int | None]:
    """A core for each of so many processes, where there are just as many; else each runs where it may.

    A process that asks and one that answers are faster on one core than on two that others want as well, and code that
    never stops takes nobody else's.
    """
    try:
        cores = sorted(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        cores = []
    return list(cores) if len(cores) == count > 1 else [None] * count


def free_mib(meminfo: Path = _MEMINFO, cgroup: Path = _CGROUP) -> int | None:
    """MiB that can still be had here, ``None`` where nothing says so."""
    room = []
    with suppress(OSError, ValueError, StopIteration):
        lines = meminfo.read_text().splitlines()
        room.append(int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]) >> 10)
    with suppress(OSError, ValueError):
        limit = int((cgroup / "memory.max").read_text())  # "max" is no number
        room.append((limit - int((cgroup / "memory.current").read_text())) >> 20)
    return min(room) if room else None
