"""A sheet that somebody else wrote, changed cell by cell: every byte that is not changed stays as it was."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from grader.errors import UsageError

_HEAD = 512  # bytes
_DELIMITERS = (",", ";", "\t")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: where it stands in the text, and what it says."""

    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class Table:
    """The text of a sheet and its cells; ``mark`` is the byte order mark it began with."""

    name: str
    text: str
    encoding: str
    mark: bytes
    delimiter: str
    rows: tuple[tuple[Cell, ...], ...]
    line_ends: tuple[int, ...]  # where in the text

    @property
    def header(self) -> list[str]:
        return [cell.value.strip() for cell in self.rows[0]] if self.rows else []

    def value(self, row: int, column: int | None) -> str:
        """What a cell says, trimmed, out of ``="..."`` where a spreadsheet holds text so; "" where there is none."""
        cells = self.rows[row]
        told = cells[column].value.strip() if column is not None and column < len(cells) else ""
        return told[2:-1] if len(told) > 2 and told.startswith('="') and told.endswith('"') else told

    def line(self, row: int) -> int:
        """The number of the line that a row begins in."""
        return bisect_left(self.line_ends, self.rows[row][0].start) + 1

    def changed(self, edits: Mapping[tuple[int, int], str], keep: Sequence[int] | None = None) -> bytes:
        """The sheet with these cells (row, column) said anew, and only the columns ``keep``, if given."""
        by_row: dict[int, dict[int, str]] = {}
        for (row, column), value in edits.items():
            by_row.setdefault(row, {})[column] = value
        pieces, at = [], 0
        for number, cells in enumerate(self.rows):
            pieces += [self.text[at : cells[0].start], self._row(cells, by_row.get(number, {}), keep)]
            at = cells[-1].end
        text = "".join([*pieces, self.text[at:]])
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as wrong:
            raise UsageError(
                f"{self.name} is written in {self.encoding}, which has no {text[wrong.start]!r}; download it as UTF-8"
            ) from None

    def _row(self, row: Sequence[Cell], edits: Mapping[int, str], keep: Sequence[int] | None) -> str:
        most = max([len(row), *(column + 1 for column in edits)])
        columns: Iterable[int] = range(most) if keep is None or len(row) == 1 else keep
        cells = []
        for column in columns:
            if column in edits:
                quotes = column < len(row) and self.text.startswith('"', row[column].start)
                cells.append(self.quoted(edits[column], always=quotes))
            else:
                cells.append(self.text[row[column].start : row[column].end] if column < len(row) else "")
        return self.delimiter.join(cells)

    def quoted(self, value: str, *, always: bool = False) -> str:
        """A cell's text, in quotes where it needs them, or where the old one stood in some."""
        if not always and not any(sign in value for sign in (self.delimiter, '"', "\r", "\n")):
            return value
        return '"' + value.replace('"', '""') + '"'

    def decimal_comma(self, columns: Iterable[int | None]) -> bool:
        """Whether numbers are written with a comma: as those in these columns are, else as ``;`` sheets have it."""
        seen = [self.value(row, column) for column in columns for row in range(1, len(self.rows))]
        if any(re.fullmatch(r"-?\d+,\d{1,5}", value) for value in seen):
            return True
        return self.delimiter == ";" and not any(re.fullmatch(r"-?\d+\.\d+", value) for value in seen)


def read_table(data: bytes, name: str) -> Table:
    """Read a sheet in whatever encoding and with whatever separator it came.

    Raises:
        UsageError: it is empty, a workbook, or its quotes do not close; says where.
    """
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise UsageError(f"{name} is an Excel workbook; download the sheet as CSV, or save it as CSV in UTF-8")
    text, encoding, mark = _decoded(data, name)
    if not text.strip():
        raise UsageError(f"{name} is empty; download the sheet again")
    first = text.lstrip("\r\n").splitlines()[0]
    delimiter = max(_DELIMITERS, key=lambda sign: _split(first, sign))
    # Spreadsheets leave rows of nothing but separators behind: they stay as they are, and are nobody's.
    rows = tuple(row for row in _rows(text, delimiter, name) if any(cell.value.strip() for cell in row))
    ends = tuple(found.start() for found in re.finditer(r"\r\n|\r|\n", text))
    return Table(name, text, encoding, mark, delimiter, rows, ends)


def _split(line: str, sign: str) -> int:
    """In how many cells a sign outside of quotes splits a line."""
    return re.sub(r'"[^"]*"', "", line).count(sign)


def _decoded(data: bytes, name: str) -> tuple[str, str, bytes]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding), encoding, mark
            except UnicodeDecodeError:
                raise UsageError(f"{name} is damaged: it is not the {encoding} that it begins as") from None
    for encoding in (_wide(data[:_HEAD]), "utf-8", "gb18030", "cp1252"):
        with suppress(UnicodeError):
            text = data.decode(encoding) if encoding else "\0"
            if "\0" not in text and text.encode(encoding) == data:  # what is not changed must stay as it is
                return text, encoding, b""
    raise UsageError(f"{name} is no text; download the sheet as CSV")


def _wide(head: bytes) -> str:
    """UTF-16 without its mark: a header in Latin letters or digits has a zero in every other byte."""
    even, odd = head[: len(head) & ~1 : 2], head[1::2]
    if odd.count(0) * 2 > len(odd) and not even.count(0):
        return "utf-16-le"
    return "utf-16-be" if even.count(0) * 2 > len(even) and not odd.count(0) else ""


def _rows(text: str, delimiter: str, name: str) -> Iterator[tuple[Cell, ...]]:
    at, row = 0, list[Cell]()
    while at < len(text) or row:
        cell, at = _cell(text, at, delimiter, name)
        row.append(cell)
        if at < len(text) and text[at] == delimiter:
            at += 1
            continue
        yield tuple(row)
        row = []
        at += 2 if text.startswith("\r\n", at) else 1


def _cell(text: str, at: int, delimiter: str, name: str) -> tuple[Cell, int]:
    start = at
    if text.startswith('"', at):
        at += 1
        parts = []
        while True:
            close = text.find('"', at)
            if close < 0:
                line = text.count("\n", 0, start) + 1
                raise UsageError(f"{name}:{line}: a quoted cell begins here and never ends; download the sheet again")
            parts.append(text[at:close])
            at = close + 1
            if not text.startswith('"', at):
                break
            parts.append('"')
            at += 1
        value = "".join(parts)
        at, rest = _plain(text, at, delimiter)
        return Cell(start, at, value + rest), at
    at, value = _plain(text, at, delimiter)
    return Cell(start, at, value), at


def _plain(text: str, at: int, delimiter: str) -> tuple[int, str]:
    found = re.compile(f"[{re.escape(delimiter)}\r\n]").search(text, at)
    end = found.start() if found else len(text)
    return end, text[at:end]
