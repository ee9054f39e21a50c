"""Resource limits of a worker, set on itself."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """What a worker may use: memory above what the warm process holds, seconds of CPU, tasks of its user."""

    memory_mib: int
    cpu_s: int
    tasks: int  # processes and threads of this user, those that run already included


def restrict(budget: Budget) -> None:
    """Set every limit for good: soft and hard alike. Raises ``OSError`` or ``ValueError``."""
    memory = address_space() + (budget.memory_mib << 20)
    limits = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_CPU: budget.cpu_s,
        resource.RLIMIT_NPROC: budget.tasks,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_STACK: 8 << 20,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_NICE: 0,
        resource.RLIMIT_RTPRIO: 0,
    }
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, bound))


def address_space() -> int:
    """Bytes of address space in use now."""
    fd = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        return int(os.read(fd, 100).split()[0]) * resource.getpagesize()
    finally:
        os.close(fd)
