"""What attacks are after, and whether they got it: files, sockets, a signal, secrets. Imports no torch: both graders use it."""

from __future__ import annotations

import ast
import contextlib
import os
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.hostile.course import CANARY, written

WINS = ("marks", "secret", "file", "connection", "process", "signal", "hang", "fault", "flood", "markup", "neighbour")


@dataclass(frozen=True)
class Attack:
    """One hostile submission. ``wins`` is what its success would be, ``earns`` what its honest part is due.

    ``naive`` names the weakness of a plain grader that it lives on; where it is not let loose on one, ``unsafe`` says why.
    """

    group: str
    name: str
    wins: str
    earns: str
    naive: str | None
    text: str
    unsafe: str = ""

    def __post_init__(self) -> None:
        assert self.wins in WINS and self.earns in ("stub", "full", "refused")
        assert bool(self.naive) != bool(self.unsafe), f"{self.name}: either a weakness or a reason"


def attacks(folder: str = "attacks") -> list[Attack]:
    """All of them, by class (the file) and name."""
    return [
        _attack(path.stem, dict(raw))
        for path in sorted((Path(__file__).parent / folder).glob("*.yaml"))
        for raw in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]


def _attack(group: str, raw: dict[str, Any]) -> Attack:
    """``source`` is an expression for texts that are too long to be written down."""
    source = raw.pop("source", None)
    text = raw.pop("code", "") if source is None else eval(compile(ast.parse(source, mode="eval"), group, "eval"), {})
    return Attack(group, text=text, **raw)


class Arena:
    """A world-readable folder with a course and secrets, one place to write, listeners, and a handler for a signal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.course = written(folder / "course")
        self.work = folder / "drop" / "mix.py"
        self.work.parent.mkdir()
        self.secret = folder / "drop" / "neighbour.py"
        self.secret.write_text(f"# {CANARY}\n", encoding="utf-8")
        self.out = folder / "out"
        self.out.mkdir()
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self._named, self._abstract = (socket.socket(socket.AF_UNIX) for _ in range(2))
        self._named.bind(str(folder / "s"))
        (folder / "s").chmod(0o777)
        self._hidden_name = f"arena-{os.getpid()}-{folder.name}"
        self._abstract.bind("\0" + self._hidden_name)
        for each in (self._named, self._abstract):
            each.listen()
        for each in (self._tcp, self._udp, self._named, self._abstract):
            each.setblocking(False)
        self._heard, self._told = os.pipe()
        os.set_blocking(self._heard, False)
        self._before = signal.signal(signal.SIGUSR1, lambda *_: (os.write(self._told, b"s"), None)[1])
        self._was: dict[str, bytes] = {}

    def put(self, text: str, pid: int | None = None) -> Path:
        """Hand in this text, its placeholders filled; from here on changes count."""
        places = {
            "REFERENCE": self.course / "reference/mix", "SECRET": self.secret, "FOLDER": self.folder,
            "FILE": self.out / "left", "OWN": self.work, "PORT": self._tcp.getsockname()[1],
            "UDP": self._udp.getsockname()[1], "UNIX": self.folder / "s", "ABSTRACT": self._hidden_name,
            "PID": pid or os.getpid(),
        }  # fmt: skip
        for name, value in places.items():
            text = text.replace(f"@{name}@", str(value))
        self.work.write_text(text, encoding="utf-8", errors="surrogatepass")
        self._was = self._files()
        return self.work

    def won(self) -> set[str]:
        """What was reached since ``put``; afterwards everything is as before."""
        found = {"connection"} if self._reached() else set()
        with contextlib.suppress(BlockingIOError):
            found |= {"signal"} if os.read(self._heard, 64) else set()
        if self._files() != self._was:
            found.add("file")
            self._restore()
        return found

    def _files(self) -> dict[str, bytes]:
        found = {}
        for path in sorted(self.folder.rglob("*")):
            plain = path.is_file() and not path.is_symlink()
            if "__pycache__" not in path.parts:
                found[str(path)] = path.read_bytes() if plain else oct(path.lstat().st_mode).encode()
        return found

    def _restore(self) -> None:
        for name in reversed(self._files()):
            if name not in self._was:
                path = Path(name)
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        for name, data in self._was.items():
            if Path(name).is_file():
                Path(name).write_bytes(data)

    def _reached(self) -> bool:
        reached = False
        for end in (self._tcp, self._named, self._abstract):
            try:
                while True:
                    end.accept()[0].close()
                    reached = True
            except BlockingIOError:
                pass
        with contextlib.suppress(BlockingIOError):
            reached |= bool(self._udp.recv(16))
        return reached

    def close(self) -> None:
        for end in (self._tcp, self._udp, self._named, self._abstract):
            end.close()
        signal.signal(signal.SIGUSR1, self._before)
        for fd in (self._heard, self._told):
            os.close(fd)
