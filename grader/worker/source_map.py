"""Which line of the student's text a line of the running code is.

A file keeps its own numbers. The cells of a notebook are laid one after another into one text under the
notebook's name, so that ``inspect``, ``dataclasses`` and ``torch.jit.script`` find every source; the map leads
back to (cell, line).
"""

from __future__ import annotations

import linecache
from bisect import bisect_right
from dataclasses import dataclass
from types import TracebackType

from grader.worker.records import Spot


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines ``start .. start + length - 1`` of a running text are lines ``line ..`` of a file or cell."""

    start: int
    length: int
    line: int
    cell: int | None


class SourceMap:
    """The texts Python sees, by file name, and the way back to what the student wrote."""

    def __init__(self) -> None:
        self._segments: dict[str, list[Segment]] = {}
        self._lines: dict[str, list[str]] = {}

    def add(self, file: str, source: str, line: int, cell: int | None) -> int:
        """Append a chunk to the text of ``file``; returns how many lines to add to the chunk's own numbers."""
        lines = self._lines.setdefault(file, [])
        segments = self._segments.setdefault(file, [])
        new = source.split("\n")
        segments.append(Segment(len(lines) + 1, len(new), line, cell))
        offset = len(lines)
        lines.extend(new)
        return offset

    def publish(self) -> None:
        """Let ``linecache`` (and so tracebacks and ``inspect``) know every text."""
        for file, lines in self._lines.items():
            text = [line + "\n" for line in lines]
            linecache.cache[file] = (sum(map(len, text)), None, text, file)

    def source(self, file: str) -> str | None:
        lines = self._lines.get(file)
        return None if lines is None else "\n".join(lines) + "\n"

    def files(self) -> tuple[str, ...]:
        return tuple(self._lines)

    def place(self, file: str, line: int) -> Spot | None:
        """The student's own place of a running line, or None where the line is not theirs."""
        segments = self._segments.get(file)
        if not segments:
            return None
        at = bisect_right([segment.start for segment in segments], line) - 1
        segment = segments[max(at, 0)]
        own = segment.line + min(max(line - segment.start, 0), segment.length - 1)
        return Spot(file=file, line=own, cell=segment.cell)

    def place_of_error(self, traceback: TracebackType | None) -> Spot | None:
        """The deepest line of the student's own text in a traceback."""
        spot: Spot | None = None
        while traceback is not None:
            spot = self.place(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno) or spot
            traceback = traceback.tb_next
        return spot
