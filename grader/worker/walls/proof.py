"""Tries what must be impossible, and says what was possible all the same. Which walls there are plays no part.

An attempt is harmless where it succeeds. Run in each worker before it reads a question; the thorough form, with
listeners and files of the grader's to be reached, in one worker of every zygote that never sees a submission.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import os
import resource
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.worker.walls import kernel

_UNREACHED = {errno.EPERM, errno.EACCES, errno.ENETUNREACH, errno.ENETDOWN, errno.EAFNOSUPPORT}
_VSOCK = 40  # to the host of a virtual machine; no namespace has its own
_FOLDERS = (".", "/tmp", "/dev/shm")


@dataclass(frozen=True, slots=True)
class Targets:
    """What of the grader's is there to be reached; it listens, and sees what reached it."""

    canary: str  # a file that anybody may read and write
    secrets: tuple[str, ...]  # folders and files of the course, among them what students must never get
    home: str
    grader: int  # its process id
    tcp: int
    udp: int
    unix: str  # a socket in the file system
    abstract: str


Attempt = tuple[str, str, Callable[[], object]]  # effect, what was tried, how


def breaches(memory_mib: int, threads: int, targets: Targets | None) -> list[tuple[str, str]]:
    """Effect and attempt of all that went through; empty where the walls hold."""
    zygote = os.getppid()
    attempts = [*_quick(zygote, memory_mib)]
    if targets is not None:
        attempts += [*_thorough(targets), ("limits", "more threads than allowed", lambda: _threads(threads))]
    return [(effect, what) for effect, what, attempt in attempts if _went_through(attempt)]


def untried() -> list[tuple[str, str]]:
    """In place of `breaches` where nothing was tried: no effect counts as proven."""
    return [(effect, "it was not tried") for effect in ("read", "write", "connect", "signal", "start", "limits")]


def _went_through(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (OSError, ValueError, MemoryError, RuntimeError):
        return False
    return True


def _quick(zygote: int, memory_mib: int) -> Iterator[Attempt]:
    yield "read", "/etc/passwd", lambda: _read("/etc/passwd")
    yield "read", "the environment of another process", lambda: _read(f"/proc/{zygote}/environ")
    for folder in _FOLDERS:
        yield "write", f"a new file in {folder}", partial(_create, folder)
    yield "write", "a new folder", lambda: _new_folder("/tmp")
    yield "connect", "a port of this machine", lambda: _reach(socket.AF_INET, ("127.0.0.1", 9))
    yield "connect", "the host of a virtual machine", lambda: socket.socket(_VSOCK, socket.SOCK_STREAM).close()
    yield "signal", "the zygote", lambda: os.kill(zygote, 0)
    yield "start", "a copy of the process", _fork
    yield "start", "another program", _execute
    yield "limits", "more memory than allowed", lambda: mmap.mmap(-1, (memory_mib + 64) << 20).close()
    yield "limits", "an end of the limit on memory", lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    yield "limits", "a limit that was not set", _unlimited


def _thorough(targets: Targets) -> Iterator[Attempt]:
    yield "read", "a file of the grader's", lambda: _read(targets.canary)
    for secret in targets.secrets:
        yield "read", secret, partial(_look_into, secret)
    yield "read", "the grader's environment", lambda: _read(f"/proc/{targets.grader}/environ")
    yield "read", "the grader's memory", lambda: _memory(targets.grader)
    yield "read", "the zygote's memory", lambda: _memory(os.getppid())
    yield "write", "a file of the grader's", lambda: os.close(os.open(targets.canary, os.O_WRONLY))
    yield "write", "an end of a file", lambda: os.close(os.open(targets.canary, os.O_RDONLY | os.O_TRUNC))
    yield "write", "a file's times", lambda: os.utime(targets.canary)
    yield "write", "a file's mode", lambda: os.chmod(targets.canary, 0o644)
    for folder in (targets.home, "/var/tmp", str(Path(targets.canary).parent), os.path.dirname(os.__file__)):
        yield "write", f"a new file in {folder}", partial(_create, folder)
    yield "connect", "a TCP port", lambda: _connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", targets.tcp))
    yield "connect", "a UDP port", lambda: _connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", targets.udp))
    yield "connect", "a socket in the files", lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, targets.unix)
    name = "\0" + targets.abstract
    yield "connect", "a socket without a file", lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, name)
    yield "signal", "the grader", lambda: os.kill(targets.grader, 0)
    yield "limits", "more open files than allowed", _many_files


def _read(path: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.read(fd, 1)
    finally:
        os.close(fd)


def _look_into(path: str) -> None:
    if os.path.isdir(path):
        os.listdir(path)
    else:
        _read(path)


def _memory(pid: int) -> None:
    """One byte of another process, at an address that every fork of the zygote shares."""
    here = ctypes.create_string_buffer(1)
    there = ctypes.cast(kernel.LIBC.getpid, ctypes.c_void_p).value or 0
    ours, theirs = struct.pack("QQ", ctypes.addressof(here), 1), struct.pack("QQ", there, 1)
    kernel.syscall("process_vm_readv", kernel.number("process_vm_readv"), pid, ours, 1, theirs, 1, 0)


def _create(folder: str) -> None:
    path = os.path.join(folder, f".wall-{os.getpid()}")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


def _new_folder(inside: str) -> None:
    path = os.path.join(inside, f".wall-{os.getpid()}")
    os.mkdir(path)
    os.rmdir(path)


def _reach(family: int, address: tuple[str, int]) -> None:
    """An answer of any kind from the network, even a refusal, went through."""
    with socket.socket(family, socket.SOCK_STREAM) as end:
        end.settimeout(0.2)
        try:
            end.connect(address)
        except OSError as refused:
            if refused.errno in _UNREACHED:
                raise


def _connect(family: int, kind: int, address: tuple[str, int] | str) -> None:
    with socket.socket(family, kind) as end:
        end.settimeout(0.2)
        end.connect(address)
        end.send(b"x")


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _execute() -> None:
    """A program that does not exist: whoever is told so could have started one that does."""
    with contextlib.suppress(FileNotFoundError):
        os.execv("/.no-such-program", ["x"])


def _threads(most: int) -> None:
    """Succeeds where many more threads run at once than the limit."""
    threading.stack_size(128 << 10)
    go = threading.Event()
    running: list[threading.Thread] = []
    try:
        for _ in range(3 * most):
            thread = threading.Thread(target=go.wait, daemon=True)
            thread.start()
            running.append(thread)
    except RuntimeError:
        if len(running) <= most + most // 10:
            raise
    finally:
        go.set()
        for thread in running:
            thread.join()


def _many_files() -> None:
    held: list[int] = []
    try:
        while len(held) < 128:
            held.append(os.dup(0))
    finally:
        for fd in held:
            with contextlib.suppress(OSError):
                os.close(fd)


def _unlimited() -> None:
    most = {
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CPU: 1 << 20,
    }
    if all(0 <= hard <= most[kind] for kind in most for hard in resource.getrlimit(kind)):
        raise ValueError("each of them is set")
