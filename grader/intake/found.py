"""A file of a hand-in before anyone decided what it is for, and the rules of reading one."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from grader.intake import refusals
from grader.model.course import Text

SOURCE_LIMIT = 1_000_000  # bytes of a Python file, and of all code of a notebook
NOTEBOOK_LIMIT = 50_000_000
_ADVICE = {
    SOURCE_LIMIT: Text("hand in your code only, without data", "只提交代码，不要带数据"),
    NOTEBOOK_LIMIT: Text("clear its outputs, save and hand it in again", "请清除所有输出，保存后再提交"),
}
_OTHER = Text("hand in less", "请减小文件")
PYTHON, NOTEBOOK = "python", "notebook"
_ODD_BYTE = re.compile("[\udc80-\udcff]")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # characters that move, reorder or do not show
_ENDINGS = {
    ".py": PYTHON, ".pyw": PYTHON, ".py.txt": PYTHON,
    ".ipynb": NOTEBOOK, ".ipynb.json": NOTEBOOK, ".ipynb.txt": NOTEBOOK,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A readable file: its path inside the hand-in, its bytes, when it was last changed."""

    path: str
    data: bytes
    changed: float = 0.0

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def kind(self) -> str | None:
        return kind_of(self.name)

    @property
    def stem(self) -> str:
        return stem_of(self.name)


def kind_of(name: str) -> str | None:
    """ "python", "notebook", or None: by the name's ending, also where a browser put another behind it."""
    ending = _ending(name)
    return _ENDINGS[ending] if ending else None


def stem_of(name: str) -> str:
    """The name without its ending."""
    ending = _ending(name)
    return name[: len(name) - len(ending)] if ending else name


def readable(name: str) -> str:
    """A file name as text: one that is no UTF-8 on disk is read as GBK, as Windows writes it; what hides is replaced.

    Letters are composed (NFC), whatever the system that packed them does.
    """
    return showing(decoded(name))


def decoded(name: str, otherwise: str = "gb18030") -> str:
    """A file name whose bytes are no UTF-8, read as GBK or what is said; letters stay as they were spelled."""
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte
        raw = name.encode("utf-8", "replace")
    for codec in ("utf-8", otherwise):
        try:
            return raw.decode(codec)
        except UnicodeDecodeError:
            continue
    # Neither: its odd bytes are written out, so that two such names stay two.
    return _ODD_BYTE.sub(lambda byte: f"%{ord(byte[0]) & 0xFF:02X}", raw.decode("utf-8", "surrogateescape"))


def showing(name: str) -> str:
    """A name composed (NFC), with a sign in place of each character that moves, reorders or does not show."""
    if name.isascii() and name.isprintable():
        return name
    return "".join("\ufffd" if unicodedata.category(c) in _HIDDEN else c for c in unicodedata.normalize("NFC", name))


def limit_of(kind: str | None) -> int:
    return NOTEBOOK_LIMIT if kind == NOTEBOOK else SOURCE_LIMIT


def read_regular(path: Path, limit: int) -> bytes:
    """The bytes of an ordinary file of at most ``limit`` bytes; never follows a link, never waits for a pipe.

    Raises:
        NotGradable: no ordinary file, too big, or not to be opened.
    """
    shown, flags = readable(path.name), os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):  # not every system has all
        flags |= getattr(os, name, 0)
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):  # before opening: a device may act on that alone
            raise refusals.no_regular_file(shown)
        descriptor = os.open(path, flags)
    except OSError as error:
        raise refusals.cannot_open(shown) from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise refusals.no_regular_file(shown)
        # Counted while reading, too: a size told beforehand may be wrong.
        data = file.read(limit + 1) if status.st_size <= limit else b""
    if max(status.st_size, len(data)) > limit:
        raise refusals.too_big(shown, limit, _ADVICE.get(limit, _OTHER))
    return data


def _ending(name: str) -> str | None:
    low = name.lower()
    return max((e for e in _ENDINGS if low.endswith(e)), key=len, default=None)
