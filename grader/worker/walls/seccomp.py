"""The filter of system calls: what is not on the list is refused, for this thread and every other of the process.

A short program in the kernel's own filter language decides on each call. Set last: it forbids setting it again.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable
from typing import Final

from grader.worker.walls import kernel
from grader.worker.walls.call_numbers import AUDIT_ARCH, FREE, JUDGED

Step = tuple[int, int, int, int]  # code, steps to jump if true, if false, operand

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _MASK, _JUMP, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x05, 0x06
_ALLOW: Final = (_RETURN, 0, 0, 0x7FFF0000)
_KILL: Final = (_RETURN, 0, 0, 0x80000000)
_NUMBER, _ARCH = 0, 4  # where they stand in what the kernel shows the filter; arguments follow from 16 on
_X32: Final = 1 << 30
_TSYNC: Final = 1
_SOMEBODY: Final = (_EQUAL, 0, 1, 0xFFFFFFFF)  # stands for the worker's own process id

_THREAD = 0x00010000
_NAMESPACES = 0x7E020000
_WRITING = 0o3 | 0o100 | 0o1000 | 0x400000  # write access, O_CREAT, O_TRUNC, O_TMPFILE
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, close-on-exec
_FCNTLS = (0, 1, 2, 3, 4, 1030, 1032)  # copies of descriptors and their flags; no owner of signals, no lease
_PRCTLS = (15, 16)  # a thread's own name
_ARCH_PRCTLS = (0x1021, 0x1022, 0x1023)  # leave to use the processor's matrix registers


class Filter:
    """The filter for the workers of one zygote: built once, loaded by each with its own process id.

    ``no_writing``: also refuse every opening for writing; for kernels whose Landlock cannot, or that have none.
    Raises ``OSError`` on an architecture without a table.
    """

    def __init__(self, *, no_writing: bool) -> None:
        machine = kernel.machine()
        if machine not in AUDIT_ARCH:
            raise OSError(f"no table of system calls for {machine}")
        self._program = packed(steps(machine, no_writing))

    def load(self, pid: int) -> None:
        """Put the filter on every thread of this process, whose id is ``pid``. Raises ``OSError``."""
        program = self._program.replace(packed([_SOMEBODY]), packed([(_EQUAL, 0, 1, pid)]))
        held = ctypes.create_string_buffer(program, len(program))
        described = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(held))
        kernel.prctl("no_new_privs", kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.syscall("seccomp", kernel.number("seccomp"), 1, _TSYNC, described)


def packed(program: Iterable[Step]) -> bytes:
    """As the kernel reads it: eight bytes a step."""
    return b"".join(struct.pack("HBBI", *step) for step in program)


def steps(machine: str, no_writing: bool) -> list[Step]:
    """The whole program, with a stand-in for the worker's process id."""
    program = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, AUDIT_ARCH[machine]), _KILL, (_LOAD, 0, 0, _NUMBER)]
    program += [(_AT_LEAST, 0, 1, _X32), _KILL]
    free = FREE[machine].values()
    program += [(_EQUAL, len(free) - i, 0, number) for i, number in enumerate(free)]  # one answer for all of them
    program += [(_JUMP, 0, 0, 1), _ALLOW]
    verdicts = _verdicts(no_writing)
    for name, number in JUDGED[machine].items():
        program += [(_EQUAL, 0, len(verdicts[name]), number), *verdicts[name]]
    return [*program, _refuse()]


def _verdicts(no_writing: bool) -> dict[str, list[Step]]:
    """What decides on the calls whose arguments matter; each list ends with an answer."""
    own_process = [*_argument(0), _SOMEBODY, _ALLOW, _refuse()]
    return {
        "clone": [*_argument(0), (_MASK, 0, 0, _THREAD | _NAMESPACES), (_EQUAL, 0, 1, _THREAD), _ALLOW, _refuse()],
        "clone3": [_refuse(errno.ENOSYS)],  # its arguments cannot be seen; the C library then asks with clone
        "kill": own_process,
        "tgkill": own_process,
        "ioctl": _one_of(1, _IOCTLS),
        "fcntl": _one_of(1, _FCNTLS),
        "prctl": _one_of(0, _PRCTLS),
        "arch_prctl": _one_of(0, _ARCH_PRCTLS),
        "prlimit64": [*_null(2), _ALLOW],  # asking for a limit, not setting it
        "open": _opening(1, no_writing),
        "openat": _opening(2, no_writing),
    }


def _refuse(number: int = errno.EPERM) -> Step:
    return (_RETURN, 0, 0, 0x50000 | number)


def _argument(index: int, *, high: bool = False) -> list[Step]:
    """Load half of an argument; both architectures keep the low half first."""
    return [(_LOAD, 0, 0, 16 + 8 * index + 4 * high)]


def _one_of(index: int, values: Iterable[int]) -> list[Step]:
    program = _argument(index)
    for value in values:
        program += [(_EQUAL, 0, 1, value), _ALLOW]
    return [*program, _refuse()]


def _null(index: int) -> list[Step]:
    """Refuse unless a pointer is null."""
    return [step for high in (False, True) for step in (*_argument(index, high=high), (_EQUAL, 1, 0, 0), _refuse())]


def _opening(index: int, no_writing: bool) -> list[Step]:
    if not no_writing:
        return [_ALLOW]
    return [*_argument(index), (_ANY_BIT, 0, 1, _WRITING), _refuse(errno.EACCES), _ALLOW]
