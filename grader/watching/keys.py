"""Single keys from a terminal, without Enter; the terminal is as it was when that is over."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

_LOOK_S: Final = 0.1
Tell = Callable[[str], None]


@contextmanager
def keys(tell: Tell) -> Iterator[bool]:
    """While in here, ``tell`` gets each key, from a thread of its own. Gives False where nobody can press any."""
    listen = _windows() if sys.platform == "win32" else _terminal()
    if listen is None:
        yield False
        return
    stop = threading.Event()
    with listen(tell, stop):
        try:
            yield True
        finally:
            stop.set()


def _terminal() -> Any:
    """For systems with ``termios``; None where stdin is no terminal, or that of somebody else's turn."""
    try:
        import select
        import termios
        import tty

        terminal = sys.stdin.fileno()
        if not os.isatty(terminal) or os.tcgetpgrp(terminal) != os.getpgrp():
            return None
        before = termios.tcgetattr(terminal)
    except (ImportError, AttributeError, OSError, ValueError):
        return None
    except Exception:  # termios.error is no OSError
        return None

    @contextmanager
    def listen(tell: Tell, stop: threading.Event) -> Iterator[None]:
        def read() -> None:
            while not stop.is_set():
                if select.select([terminal], [], [], _LOOK_S)[0]:
                    typed = os.read(terminal, 64)
                    if not typed:
                        tell("\x04")
                        return
                    if not typed.startswith(b"\x1b"):  # an arrow, a function key
                        for key in typed.decode("utf-8", "ignore"):
                            tell(key)

        def again(number: int, frame: object) -> None:
            tty.setcbreak(terminal)

        reader = threading.Thread(target=read, name="keys", daemon=True)
        tty.setcbreak(terminal)
        old = signal.signal(signal.SIGCONT, again)  # after Ctrl-Z and fg
        try:
            reader.start()
            yield
        finally:
            stop.set()
            reader.join(timeout=2)
            signal.signal(signal.SIGCONT, old)
            with suppress(termios.error):
                termios.tcsetattr(terminal, termios.TCSADRAIN, before)

    return listen


def _windows() -> Any:
    try:
        import msvcrt
    except ImportError:
        return None
    if not sys.stdin or not sys.stdin.isatty():
        return None

    console: Any = msvcrt

    @contextmanager
    def listen(tell: Tell, stop: threading.Event) -> Iterator[None]:
        def read() -> None:
            while not stop.wait(_LOOK_S):
                while console.kbhit():
                    key = console.getwch()
                    if key in ("\x00", "\xe0"):
                        console.getwch()  # an arrow, a function key
                    else:
                        tell(key)

        reader = threading.Thread(target=read, name="keys", daemon=True)
        reader.start()
        try:
            yield
        finally:
            stop.set()
            reader.join(timeout=2)

    return listen
