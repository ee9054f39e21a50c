"""Keeps the head and the tail of what a student prints, whatever the amount."""

from __future__ import annotations


class Capture:
    """At most ``cap`` bytes are kept: the first half as it came, then the newest."""

    def __init__(self, cap: int) -> None:
        self._half = max(cap // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail = (self._tail + data)[-self._half :]

    @property
    def truncated(self) -> bool:
        return self.total > len(self._head) + len(self._tail)

    def text(self) -> str:
        head = bytes(self._head).decode("utf-8", "replace")
        tail = bytes(self._tail).decode("utf-8", "replace")
        cut = self.total - len(self._head) - len(self._tail)
        return f"{head}\n[... {cut} bytes left out ...]\n{tail}" if cut > 0 else head + tail
