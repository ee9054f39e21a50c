"""Length-prefixed frames: a JSON header and the raw bytes of its tensors.

``[4 bytes number][4 bytes header length][4 bytes payload length][header][payload]``, all little-endian. A question
and its answers carry one number; it stands outside the message, so that the same question is the same bytes.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from grader.rpc.values import Decoder, Encoder, ProtocolError

HEADER_CAP: Final = 4 << 20
_NUMBER: Final = struct.Struct("<I")
_LENGTHS: Final = struct.Struct("<II")
_PREFIX: Final = struct.Struct("<III")
_WRITTEN: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, check_circular=False)


@dataclass(frozen=True, slots=True)
class Frame:
    """One message: ``header["op"]`` or ``header["reply"]`` says what it is."""

    number: int
    header: dict[str, Any]
    payload: memoryview
    size: int = 0  # as it travelled
    head: bytes = b""  # the header's own bytes

    def decoder(self) -> Decoder:
        heads = self.header.get("buffers", [])
        if not isinstance(heads, list) or len(heads) > 4096:
            raise ProtocolError("the list of buffers is no list, or too long")
        return Decoder(heads, self.payload)


def pack(header: dict[str, Any], encoder: Encoder | None = None) -> bytes:
    """The bytes of one message, all but its number."""
    buffers: Sequence[bytes] = encoder.buffers if encoder else ()
    head = {**header, "buffers": encoder.heads} if encoder else header
    text = _WRITTEN.encode(head).encode()
    return b"".join((_LENGTHS.pack(len(text), sum(map(len, buffers))), text, *buffers))


def numbered(number: int, message: bytes) -> bytes:
    """A message as it travels."""
    return _NUMBER.pack(number) + message


class OverLimit(ProtocolError):
    """More bytes than anybody may send: of honest code as well, if it means to return too much."""


class FrameReader:
    """Grows with the bytes that arrive and gives whole frames; a frame over the cap is an error."""

    def __init__(self, payload_cap: int, header_cap: int = HEADER_CAP) -> None:
        self._caps = (header_cap, payload_cap)
        self._held = bytearray()
        self._at = 0  # where the next frame begins: what lies before it has been given

    def feed(self, data: bytes) -> None:
        del self._held[: self._at]
        self._at = 0
        self._held += data

    def next(self) -> Frame | None:
        """The next whole frame, or None while bytes are missing. Raises ``ProtocolError``."""
        start = self._at + _PREFIX.size
        if len(self._held) < start:
            return None
        number, head_len, body_len = _PREFIX.unpack_from(self._held, self._at)
        if head_len > self._caps[0]:
            raise ProtocolError("a frame's header is over its limit")
        if body_len > self._caps[1]:
            raise OverLimit(f"a result is over its size limit of {_size(self._caps[1])}")
        end = start + head_len + body_len
        if len(self._held) < end:
            return None
        head = bytes(self._held[start : start + head_len])
        body = memoryview(bytes(self._held[start + head_len : end]))
        size, self._at = end - self._at, end
        if end == len(self._held):
            self.feed(b"")  # a large frame is not held twice
        return Frame(number, _header(head), body, size, head)


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count} bytes"


def _header(data: bytes) -> dict[str, Any]:
    try:
        header = json.loads(data.decode())
    except (ValueError, RecursionError):
        raise ProtocolError("a frame's header is no JSON") from None
    if not isinstance(header, dict):
        raise ProtocolError("a frame's header is no object")
    return header


def read_frame(fd: int, reader: FrameReader) -> Frame | None:
    """Block until a whole frame is there; None at the end of the stream."""
    while (frame := reader.next()) is None:
        data = os.read(fd, 1 << 20)
        if not data:
            return None
        reader.feed(data)
    return frame


def write_all(fd: int, data: bytes) -> None:
    """Write everything to a blocking descriptor."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
