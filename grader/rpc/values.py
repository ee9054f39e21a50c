"""Values as a JSON tree plus raw tensor bytes, and back.

The decoder reads hostile input: every field has a type, every size a cap, and anything else is a
``ProtocolError``. No pickle, no object arrays, no floats through decimal JSON.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np
import torch

MAX_DEPTH: Final = 12
MAX_NODES: Final = 20_000
MAX_TEXT: Final = 4_000
MAX_RANK: Final = 8
MAX_ENTRIES: Final = 1_024  # of one dict: numbers can be chosen to collide, and each collides with all before it

_TORCH: Final = {
    "float64": torch.float64, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16,
    "int64": torch.int64, "int32": torch.int32, "int16": torch.int16, "int8": torch.int8,
    "uint8": torch.uint8, "bool": torch.bool,
}  # fmt: skip
_TORCH_NAMES: Final = {dtype: name for name, dtype in _TORCH.items()}
_NUMPY: Final = ("float64", "float32", "float16", "int64", "int32", "int16", "int8",
                 "uint64", "uint32", "uint16", "uint8", "bool")  # fmt: skip
_ITEM: Final = {name: torch.empty(0, dtype=dtype).element_size() for name, dtype in _TORCH.items()} | {
    name: np.dtype(name).itemsize for name in _NUMPY
}
_BUFFERED: Final = frozenset("TAN")
_DEVICE: Final = re.compile(r"(cpu|cuda|mps|meta)(:(0|[1-9][0-9]?))?")
_DIGITS: Final = re.compile(r"-?[0-9]{1,400}")


class ProtocolError(Exception):
    """The other side sent what no honest side sends."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something that has no plain form; ``kind`` says what it was, in a few words."""

    kind: str

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True, slots=True)
class Handle:
    """An object that stays in the worker."""

    id: int
    kind: str = ""


@dataclass(slots=True)
class Encoder:
    """Collects the tensors of a value tree; ``requires_grad`` notes which results carry a graph."""

    buffers: list[bytes] = field(default_factory=list)
    heads: list[dict[str, Any]] = field(default_factory=list)
    tensors: list[torch.Tensor] = field(default_factory=list)
    nodes: int = 0

    def encode(self, value: object, depth: int = 0) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            return {"o": "something nested too deeply" if depth > MAX_DEPTH else "something far too long"}
        if type(value) is torch.Tensor:  # first what is most
            return self._tensor(value)
        if value is None or value is True or value is False:
            return value
        if type(value) is int:
            return value if abs(value) < 1 << 53 else {"i": str(value)[:400]}
        if type(value) is float:
            return {"f": value.hex() if math.isfinite(value) else repr(value)}
        if type(value) is str:
            return value[:MAX_TEXT]
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, np.ndarray | np.generic):
            return self._array(value)
        if isinstance(value, tuple):
            return {"t": [self.encode(item, depth + 1) for item in tuple.__iter__(value)]}
        if isinstance(value, list):
            return {"l": [self.encode(item, depth + 1) for item in list.__iter__(value)]}
        if isinstance(value, dict):
            if dict.__len__(value) > MAX_ENTRIES:
                return {"o": "something far too long"}
            return {"d": [[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in dict.items(value)]}
        if isinstance(value, Handle):
            return {"h": value.id, "k": value.kind}
        if isinstance(value, torch.device):
            return {"v": str(value)}
        if type(value) is Opaque:
            return {"o": value.kind}
        if isinstance(value, bool | int | float | str):  # subclasses, by their plain value
            plain = next(base for base in (int, float, str) if isinstance(value, base))
            return self.encode(plain(value), depth)
        if type(value) is Decimal or type(value) is Fraction:
            return self._exact(value)
        return {"o": kind_of(value)}

    def _exact(self, value: Decimal | Fraction) -> Any:
        """As the number that float() makes of it."""
        try:
            return self.encode(float(value))
        except (ValueError, OverflowError):  # a signalling NaN; too large
            return {"o": kind_of(value)}

    def _tensor(self, value: torch.Tensor) -> Any:
        try:
            with torch._C.DisableTorchFunctionSubclass():
                plain = torch.Tensor.detach(value)
                if plain.layout is not torch.strided or plain.device.type != "cpu" or plain.dtype not in _TORCH_NAMES:
                    return {"o": f"a {str(plain.dtype)[6:]} tensor ({plain.layout}, on {plain.device.type})"}
                data = _bytes_of(plain.resolve_neg())
                head = {"dtype": _TORCH_NAMES[plain.dtype], "shape": list(plain.shape)}
                needs_grad = bool(torch.Tensor.requires_grad.__get__(value))  # type: ignore[attr-defined]
        except (RuntimeError, TypeError, ValueError, NotImplementedError, AttributeError):
            return {"o": kind_of(value)}
        self.tensors.append(value)
        return {"T": self._store(head, data), "g": needs_grad}

    def _array(self, value: np.ndarray[Any, Any] | np.generic) -> Any:
        plain = np.array(value, copy=True, order="C", subok=False)
        if plain.dtype == np.longdouble:  # wider than a frame knows: the nearest that it does
            plain = plain.astype(np.float64)
        if plain.dtype.name not in _NUMPY:
            return {"o": f"a NumPy array of {str(plain.dtype)[:40]}"}
        plain = plain.astype(plain.dtype.newbyteorder("="), copy=False)
        kind = "A" if isinstance(value, np.ndarray) else "N"
        return {kind: self._store({"dtype": plain.dtype.name, "shape": list(plain.shape)}, plain.tobytes())}

    def _store(self, head: dict[str, Any], data: bytes) -> int:
        self.heads.append(head)
        self.buffers.append(data)
        return len(self.heads) - 1


def _bytes_of(plain: torch.Tensor) -> bytes:
    """The numbers in order, row by row."""
    if plain.dtype is torch.bfloat16:  # NumPy has no such type
        plain = plain.contiguous().reshape(-1).view(torch.uint8)
    return plain.numpy().tobytes()


def kind_of(value: object) -> str:
    """The class of ``value`` in at most 60 identifier characters, e.g. ``a LazyThing object``."""
    name = getattr(type(value), "__name__", "")
    name = "".join(c for c in str(name)[:60] if c.isalnum() or c == "_") or "nameless"
    return f"a {name} object"


@dataclass(slots=True)
class Decoder:
    """Builds the values of a frame again. ``tensors`` lists what was built, by buffer index."""

    heads: Sequence[Any]
    payload: memoryview
    tensors: dict[int, torch.Tensor] = field(default_factory=dict)
    with_grad: set[int] = field(default_factory=set)
    nodes: int = 0
    _ends: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        at = 0
        for head in self.heads:
            at += _size(head)
            self._ends.append(at)
        if at != len(self.payload):
            raise ProtocolError("the bytes do not fit the shapes")

    def decode(self, node: Any, depth: int = 0) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH + 1 or self.nodes > 2 * MAX_NODES:
            raise ProtocolError("a value is nested too deeply or too long")
        if type(node) is not dict:
            return _plain(node)
        if not node:
            raise ProtocolError("a value has no known form")
        key = next(iter(node))
        body = node[key]
        if key in _BUFFERED and type(body) is int and 0 <= body < len(self.heads):
            return self._tensor(body, bool(node.get("g"))) if key == "T" else self._array(body, key == "N")
        if key == "f" and isinstance(body, str):
            return _float(body)
        if key == "i" and isinstance(body, str):
            return _int(body)
        if (key == "t" or key == "l") and isinstance(body, list):
            items = [self.decode(item, depth + 1) for item in body]
            return tuple(items) if key == "t" else items
        if key == "d" and isinstance(body, list):
            return self._dict(body, depth)
        if key == "o" and isinstance(body, str):
            return Opaque(body[:120])
        if key == "v" and isinstance(body, str):
            return _device(body)
        if key == "h" and type(body) is int:
            return Handle(body, str(node.get("k", ""))[:80])
        raise ProtocolError("a value has no known form")

    def _dict(self, body: list[Any], depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        if len(body) > MAX_ENTRIES:
            raise ProtocolError("a dict is too long")
        for pair in body:
            if not isinstance(pair, list) or len(pair) != 2:
                raise ProtocolError("a dict entry is no pair")
            name = self.decode(pair[0], depth + 1)
            try:
                hash(name)
            except TypeError:
                name = Opaque("an unusual key")
            found[name] = self.decode(pair[1], depth + 1)
        return found

    def _bytes(self, index: int) -> bytearray:
        return bytearray(self.payload[self._ends[index - 1] if index else 0 : self._ends[index]])

    def _tensor(self, index: int, needs_grad: bool) -> torch.Tensor:
        head = self.heads[index]
        if head["dtype"] not in _TORCH:
            raise ProtocolError("a tensor of an unknown dtype")
        dtype, data = _TORCH[head["dtype"]], self._bytes(index)
        if head["dtype"] == "bool":
            flat = torch.frombuffer(data, dtype=torch.uint8).ne(0) if data else torch.empty(0, dtype=dtype)
        else:
            flat = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
        self.tensors[index] = tensor = flat.reshape(head["shape"])
        if needs_grad:
            self.with_grad.add(index)
        return tensor

    def _array(self, index: int, scalar: bool) -> Any:
        head = self.heads[index]
        if head["dtype"] not in _NUMPY:
            raise ProtocolError("an array of an unknown dtype")
        array = np.frombuffer(self._bytes(index), dtype=head["dtype"]).reshape(head["shape"])
        if head["dtype"] == "bool":
            array = array.view(np.uint8) != 0
        return array[()] if scalar and array.ndim == 0 else array


def _plain(node: Any) -> Any:
    """What stands for itself."""
    if isinstance(node, str) and len(node) > MAX_TEXT:
        raise ProtocolError("a text is too long")
    if node is None or isinstance(node, bool | int | str):
        return node
    raise ProtocolError("a value has no known form")


def _size(head: Any) -> int:
    """Bytes of one buffer; checks its head on the way."""
    if not isinstance(head, dict) or not isinstance(head.get("shape"), list):
        raise ProtocolError("a buffer has no dtype or shape")
    dtype, shape = head.get("dtype"), head["shape"]
    if not isinstance(dtype, str) or dtype not in _ITEM:
        raise ProtocolError("a buffer has no dtype or shape")
    if len(shape) > MAX_RANK:
        raise ProtocolError("a buffer has an impossible shape")
    size = strides = _ITEM[dtype]
    for n in shape:
        if type(n) is not int or not 0 <= n < 1 << 31:
            raise ProtocolError("a buffer has an impossible shape")
        size *= n
        strides *= n or 1
    if strides >= 1 << 63:  # they could not be counted
        raise ProtocolError("a buffer has an impossible shape")
    return size


def _float(text: str) -> float:
    if text in ("nan", "inf", "-inf"):
        return float(text)
    try:
        return float.fromhex(text)
    except (ValueError, OverflowError):
        raise ProtocolError("a number cannot be read") from None


def _int(text: str) -> int:
    if not _DIGITS.fullmatch(text):
        raise ProtocolError("a number cannot be read")
    return int(text)


def _device(text: str) -> torch.device:
    if not _DEVICE.fullmatch(text):
        raise ProtocolError("a device of an unknown kind")
    return torch.device(text)
