"""One zygote: started by exec with a cleared environment, and asked over a socket that carries descriptors as well."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grader
from grader.errors import GraderFault, WallMissing

_START: Final = "import sys; sys.path[:0] = {paths!r}; from grader.worker.zygote import main; main({fd}, {plan!r})"
_READY_S: Final = 120.0
_FORK_S: Final = 20.0
_SYSTEM: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")
_OF_THE_GRADER: Final = ("__init__.py", "worker", "rpc")  # what the zygote imports
_LARGE_PAGES: Final = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}  # a fork copies a third of the page tables
_UNCOMPILED: Final = {  # `torch.compile` hands back what it was given: no worker can write or start a compiler
    "TORCH_COMPILE_DISABLE": "1",
    "TORCHDYNAMO_DISABLE": "1",
    "TORCHINDUCTOR_CACHE_DIR": "/",  # asked for on import: any that exists
}


@dataclass(frozen=True, slots=True)
class Order:
    """How a zygote is to be started. ``leave_out`` and ``landlock_cap`` take walls away, to show what follows."""

    environment: Mapping[str, str]
    leave_out: tuple[str, ...] = ()
    landlock_cap: int | None = None


def library_paths() -> list[str]:
    """Where the worker may import from: the standard library and the installed packages, no more."""
    scheme = sysconfig.get_paths()
    stdlib = [scheme["stdlib"], scheme["platstdlib"], str(Path(scheme["stdlib"]) / "lib-dynload")]
    return list(dict.fromkeys([*stdlib, scheme["purelib"], scheme["platlib"]]))


def readable_paths(environment: Mapping[str, str]) -> list[str]:
    """What the worker may read: where it imports from, and where the libraries of those modules lie."""
    given = [path for path in environment.get("LD_LIBRARY_PATH", "").split(os.pathsep) if os.path.isabs(path)]
    wanted = [*library_paths(), str(sysconfig.get_config_var("LIBDIR") or "/usr/lib"), *given, *_SYSTEM]
    return [path for path in dict.fromkeys(wanted) if os.path.exists(path)]


class Zygote:
    """A running zygote. Every failure to answer is a ``GraderFault``."""

    def __init__(self, order: Order) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        room = Path(grader.__file__).parent.parent
        imports = library_paths()
        plan = {
            "room": "" if str(room) in imports else str(room),
            "readable": readable_paths(order.environment),
            "own": [str(room / "grader" / name) for name in _OF_THE_GRADER],
            "leave_out": sorted(order.leave_out),
            "landlock_cap": order.landlock_cap,
        }
        start = _START.format(paths=[*imports, str(room)], fd=theirs.fileno(), plan=plan)
        own = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")} | _UNCOMPILED | _LARGE_PAGES
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", start],
                env={**order.environment, **own, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._control = ours
        self._started = False

    @property
    def pid(self) -> int:
        return self._process.pid

    def expect_start(self) -> None:
        """Wait until it can fork. Raises ``WallMissing`` where its own walls could not be set up."""
        if not self._started:
            answer = self._answer(_READY_S)[0]
            if "fatal" in answer:
                raise WallMissing(f"isolation could not be set up, so no submission was run: {answer['fatal']}")
            self._started = True

    def fork(self, asked: Mapping[str, Any], fds: Sequence[int]) -> tuple[int, int]:
        """A new worker with these ends of pipes: its process id (as the zygote counts) and its pidfd."""
        try:
            socket.send_fds(self._control, [json.dumps({"fork": asked}).encode()], fds)
        except OSError as broken:
            raise GraderFault(f"the zygote is gone: {broken}") from broken
        answer, given = self._answer(_FORK_S)
        if "pid" not in answer or len(given) != 1:
            raise GraderFault(f"the zygote could not start a worker: {answer.get('error', 'no reason given')}")
        return int(answer["pid"]), given[0]

    def ending_of(self, pid: int) -> str:
        """How a worker that closed its pipes came to its end, in words for a learner."""
        try:
            self._control.send(json.dumps({"end": pid}).encode())
        except OSError as broken:
            raise GraderFault(f"the zygote is gone: {broken}") from broken
        status = self._answer(_FORK_S)[0].get("status")
        return describe_ending(status if isinstance(status, int) else None)

    def gone(self) -> bool:
        """Whether its end of the socket is closed. Asks nothing."""
        if not select.select([self._control], [], [], 0)[0]:
            return False
        try:
            return not self._control.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def _answer(self, limit_s: float) -> tuple[dict[str, Any], list[int]]:
        self._control.settimeout(limit_s)
        try:
            data, fds, _, _ = socket.recv_fds(self._control, 1 << 16, 4)
        except OSError as broken:
            raise GraderFault(f"the zygote gave no answer: {broken}") from broken
        if not data:
            raise GraderFault("the zygote ended")
        answer: dict[str, Any] = json.loads(data)
        return answer, fds

    def close(self) -> None:
        self._control.close()
        self._process.kill()
        self._process.wait()


def describe_ending(status: int | None) -> str:
    """A wait status in words for a learner."""
    if status is None:
        return "its process ended"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        names = {signal.SIGSEGV: "a memory access error (segmentation fault)", signal.SIGABRT: "an abort"}
        return f"its process crashed with {names.get(number, signal.Signals(number).name)}"  # type: ignore[call-overload]
    return f"its process ended itself with exit code {os.WEXITSTATUS(status)}"
