"""Resource limits of a worker, set on itself before any student code runs."""

from __future__ import annotations

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1


def set_limits(*, memory_mib: int) -> None:
    """Memory above what the warm process already holds; no core files; an end when the zygote ends."""
    import resource

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    budget = _address_space() + (memory_mib << 20)
    resource.setrlimit(resource.RLIMIT_AS, (budget, budget))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, 8 << 20))


def _address_space() -> int:
    """Bytes of address space in use now."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
