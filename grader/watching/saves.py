"""Saved files, told once each: bursts are one save, a save by rename is one, half a file is waited out."""

from __future__ import annotations

import ast
import json
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from grader.errors import UsageError

_STEP_MS: Final = 25  # a burst is over when nothing came for so long
_BURST_MS: Final = 300
_PROBE_S: Final = 0.02
_PATIENCE_S: Final = 1.0  # for a file that goes on changing
_GONE_S: Final = 0.3  # between the two halves of a save by rename, and of "truncate, then write"
_HALF_S: Final = 0.1  # what cannot be read may be half of what is being written
_LARGE: Final = 2_000_000  # bytes; a file larger than that is not read twice

Stamp = tuple[int, int]


def require() -> None:
    """Raises ``UsageError`` where the library that watches is not installed."""
    try:
        import watchfiles  # noqa: F401
    except ImportError:
        raise UsageError(
            "--watch needs the package watchfiles: pip install 'attention-grader[watch]' (without it: grader check)"
        ) from None


@contextmanager
def watched(folders: Iterable[Path], tell: Callable[[set[Path]], None]) -> Iterator[None]:
    """While in here, ``tell`` gets every file that changes in ``folders`` (not below), from a thread of its own."""
    import watchfiles

    stop = threading.Event()
    places = sorted({folder.resolve() for folder in folders if folder.is_dir()})

    def listen() -> None:
        changes = watchfiles.watch(
            *places, watch_filter=None, recursive=False, step=_STEP_MS, debounce=_BURST_MS, stop_event=stop,
            rust_timeout=200, raise_interrupt=False, ignore_permission_denied=True,
        )  # fmt: skip
        for batch in changes:
            tell({Path(name) for _, name in batch})

    thread = threading.Thread(target=listen, name="saves", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=2)


def stamp(path: Path) -> Stamp | None:
    """What changes with every save; None where there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def settled(path: Path) -> Stamp | None:
    """Wait until the file is whole, as far as that can be seen; None where it is gone."""
    now, began, changed = stamp(path), time.monotonic(), time.monotonic()
    quiet = 0.0
    while time.monotonic() - began < _PATIENCE_S:
        quiet = _quiet_needed(path, now) if quiet == 0.0 else quiet
        if time.monotonic() - changed >= quiet:
            break
        time.sleep(_PROBE_S)
        seen = stamp(path)
        if seen != now:
            now, changed, quiet = seen, time.monotonic(), 0.0
    return now


def _quiet_needed(path: Path, now: Stamp | None) -> float:
    if now is None or now[0] == 0:
        return _GONE_S
    return _PROBE_S if now[0] > _LARGE or _reads(path) else _HALF_S


def _reads(path: Path) -> bool:
    """Whether it is Python or JSON from the first line to the last."""
    try:
        data = path.read_bytes()
        if path.suffix == ".ipynb":
            json.loads(data)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(data)
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    return True
