"""Writing to people and to files: results to stdout, everything else to stderr, never a crash over a character."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from grader.errors import UsageError
from grader.reports.glyphs import encodable

STDOUT = Path("-")


def say(text: str = "") -> None:
    """A line of the result, to stdout."""
    _write(sys.stdout, text + "\n")


def note(text: str) -> None:
    """A line beside the result, to stderr. Where nobody reads it any longer, the work goes on."""
    with suppress(BrokenPipeError):
        _write(sys.stderr, text + "\n")


def show_report(document: Mapping[str, Any], *, lang: str, plain: bool) -> None:
    """The report for a person at this terminal."""
    from grader.reports import terminal

    stream = sys.stdout
    text = terminal.render(document, lang=lang, width=_width(), color=not plain and _colour(stream), plain=plain,
                           encoding=stream.encoding)  # fmt: skip
    _write(stream, text)


def write_document(target: Path, text: str) -> None:
    """``text`` as UTF-8 into the file, all or nothing; ``-`` is stdout. Raises ``UsageError`` where it cannot."""
    if target == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    try:
        write_atomically(target, text.encode())
    except OSError as wrong:
        raise UsageError(f"cannot write {target}: {wrong.strerror or wrong}") from None


def write_atomically(
    target: Path, content: bytes | Iterable[bytes], *, durable: bool = True, mode: int = 0o644
) -> None:
    """The whole file or what was there before; readers never see a half. ``durable``: a loss of power included."""
    import tempfile

    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".writing-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in (content,) if isinstance(content, bytes) else content:
                file.write(piece)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def columns(rows: Sequence[Sequence[str]], indent: int = 0) -> list[str]:
    """Rows as lines with aligned columns; wide (Chinese) characters count two cells."""
    widths = [max(cells(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    return [
        (" " * indent + "  ".join(text + " " * (width - cells(text)) for text, width in zip(row, widths, strict=True)))
        .rstrip()
        for row in rows
    ]  # fmt: skip


def cells(text: str) -> int:
    """How many terminal cells ``text`` takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _write(stream: TextIO, text: str) -> None:
    stream.write(encodable(text, stream.encoding))
    stream.flush()


def _width() -> int:
    try:
        asked = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        asked = 0
    if asked > 0:
        return asked
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return False
    if sys.platform == "win32":
        from rich.console import detect_legacy_windows

        return not detect_legacy_windows()
    return True
