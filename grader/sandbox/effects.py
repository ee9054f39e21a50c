"""What isolation has to come to, whatever the walls: effects, proven by attempts that must fail.

The thorough proof aims at things of ours that are there to be reached: a file anybody may read and write, the
course's own folders, listeners. They see for themselves whether they were.
"""

from __future__ import annotations

import os
import secrets
import select
import socket
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Effect:
    """Something a worker must not be able to do. ``walls``: those that take it away; ``remedy``: how to get one."""

    id: str
    words: str
    walls: tuple[str, ...]
    remedy: str


_FILES: Final = (
    "a kernel with Landlock (Linux 5.13 or newer, `landlock` among the boot option lsm=...), or the right to user "
    "and mount namespaces (on Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0)"
)
_FILTER: Final = "a kernel with seccomp filters on x86-64 or aarch64, and a container that allows the seccomp call"

EFFECTS: Final = (
    Effect("read", "read files of the grader's, the course's or the machine's", ("landlock", "own root"), _FILES),
    Effect("write", "write, change or remove a file", ("landlock", "own root", "seccomp"), _FILES),
    Effect("connect", "reach a network or another program", ("seccomp", "namespaces"), _FILTER),
    Effect("signal", "signal or look into another process", ("seccomp", "namespaces"), _FILTER),
    Effect("start", "start a process or a program", ("seccomp",), _FILTER),
    Effect(
        "limits",
        "pass its limits of memory, threads and files",
        ("rlimits", "user"),
        "as root: the right to become another user (setuid); else limits that may be lowered (ulimit)",
    ),
)
_BY_ID: Final = {effect.id: effect for effect in EFFECTS}


@dataclass(frozen=True, slots=True)
class Proof:
    """What a worker reported before it read a question, and what reached our listeners meanwhile."""

    walls: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)  # wall: why it does not stand
    breaches: tuple[tuple[str, str], ...] = ()  # effect, what went through
    ms: float = 0.0

    def failed(self) -> list[Effect]:
        """The effects that were not proven."""
        found = {effect for effect, _ in self.breaches}
        return [effect for effect in EFFECTS if effect.id in found or not set(effect.walls) & set(self.walls)]

    def proven(self) -> list[Effect]:
        failed = self.failed()
        return [effect for effect in EFFECTS if effect not in failed]

    def by(self, effect: Effect) -> tuple[str, ...]:
        """The walls that stand and take this away."""
        return tuple(wall for wall in effect.walls if wall in self.walls)

    def refusal(self) -> str:
        """Why nothing may be graded here, and what to do about it."""
        lines = ["isolation could not be proven, so no submission was run:"]
        for effect in self.failed():
            tried = [what for which, what in self.breaches if which == effect.id]
            lines.append(f"- the code could {effect.words}" + (f" ({', '.join(tried[:3])})" if tried else ""))
            lines += [f"  {wall}: {self.missing[wall]}" for wall in effect.walls if wall in self.missing]
            lines.append(f"  needed: {effect.remedy}")
        lines.append("`grader doctor` tells it all; --practice grades all the same, for marks that do not count")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Examination:
    """What a machine can prove, and what the walls cost a submission."""

    proof: Proof
    ms: float
    effects: tuple[Effect, ...] = EFFECTS


def read_proof(header: Mapping[str, Any], reached: Sequence[tuple[str, str]] = ()) -> Proof:
    """A worker's report; raises ``KeyError``, ``TypeError`` or ``ValueError`` where it is none."""
    told = header["proof"]
    breaches = [(str(effect), str(what)) for effect, what in told["breaches"]]
    if any(effect not in _BY_ID for effect, _ in breaches):
        raise ValueError("an unknown effect")
    missing = {str(wall): str(why) for wall, why in told["missing"].items()}
    return Proof(tuple(map(str, told["walls"])), missing, (*breaches, *reached), float(told["ms"]))


class Canaries:
    """Things of ours to be reached by a worker that proves its walls."""

    def __init__(self, folder: Path, guarded: Iterable[Path], closing: ExitStack) -> None:
        self._file = folder / "canary"
        self._content = secrets.token_bytes(16)
        self._file.write_bytes(self._content)
        self._file.chmod(0o666)
        folder.chmod(0o777)
        self._before = self._facts(folder)
        self._folder = folder
        self._guarded = tuple(str(path.resolve()) for path in guarded if path.exists())
        self._abstract = f"grader-{secrets.token_hex(8)}"
        self._sockets = {
            "a TCP port": socket.socket(socket.AF_INET, socket.SOCK_STREAM),
            "a UDP port": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "a socket in the files": socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
            "a socket without a file": socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        }
        for each in self._sockets.values():
            closing.callback(each.close)
        tcp, udp, named, abstract = self._sockets.values()
        tcp.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        named.bind(str(folder / "socket"))
        (folder / "socket").chmod(0o777)
        abstract.bind("\0" + self._abstract)
        for each in (tcp, named, abstract):
            each.listen(4)
        self._before = self._facts(folder)

    def targets(self) -> dict[str, Any]:
        """For the worker; see ``grader.worker.walls.proof.Targets``."""
        tcp, udp, _, _ = self._sockets.values()
        return {
            "canary": str(self._file),
            "secrets": self._guarded,
            "home": str(Path.home()),
            "grader": os.getpid(),
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "unix": str(self._folder / "socket"),
            "abstract": self._abstract,
        }

    def reached(self) -> list[tuple[str, str]]:
        """What our own side saw happen: effect and what was reached."""
        ready, _, _ = select.select(list(self._sockets.values()), [], [], 0)
        found = [("connect", f"{name} was reached") for name, each in self._sockets.items() if each in ready]
        if self._facts(self._folder) != self._before or self._file.read_bytes() != self._content:
            found.append(("write", "a file of the grader's was changed"))
        return found

    @staticmethod
    def _facts(folder: Path) -> list[tuple[str, int, int, int]]:
        stats = ((path, path.lstat()) for path in sorted(folder.iterdir()))
        return [(path.name, s.st_mode, s.st_size, s.st_mtime_ns) for path, s in stats]


@contextmanager
def canaries(guarded: Iterable[Path]) -> Iterator[Canaries]:
    """Set up for one proof; gone afterwards."""
    with ExitStack() as closing:
        folder = closing.enter_context(tempfile.TemporaryDirectory(prefix="grader-"))
        yield Canaries(Path(folder), guarded, closing)
