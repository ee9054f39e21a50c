"""A table that people or platforms saved: CSV by any delimiter, in any encoding that text is read in."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from grader.errors import NotGradable, UsageError
from grader.intake.found import read_regular
from grader.intake.text import decode

_LIMIT = 50_000_000
_DELIMITERS = ",;\t|，"
_LINES_SEEN = 20
_SEP = "sep="  # in front of all, for a spreadsheet: it says the delimiter
_NO_WIDTH = "\ufeff\u200b"


def read_table(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank with the number of their line, cells composed (NFC) and trimmed.

    Raises:
        UsageError: it cannot be read as a table.
    """
    try:
        text = decode(read_regular(path, _LIMIT), path.name).text
    except NotGradable as wrong:
        raise UsageError(f"{path}: {wrong}; save it as CSV in UTF-8") from None
    lines = text.splitlines(keepends=True)
    told = lines[0].strip().lower() if lines else ""
    says = told.startswith(_SEP) and len(told) == len(_SEP) + 1
    reader = csv.reader(lines[says:], delimiter=told[-1] if says else _delimiter(lines))
    try:
        for row in reader:
            cells = [_plain(cell) for cell in row]
            if any(cells):
                yield reader.line_num + says, cells
    except csv.Error as wrong:
        raise UsageError(f"{path}:{reader.line_num + says}: {wrong}; save it as CSV again") from None


def _delimiter(lines: list[str]) -> str:
    """What stands in most of the first lines, header and body alike; of equals, what stands there most often."""
    seen = [line for line in lines if line.strip()][:_LINES_SEEN]
    return max(
        _DELIMITERS, key=lambda sign: (sum(sign in line for line in seen), sum(line.count(sign) for line in seen))
    )


def _plain(cell: str) -> str:
    """A cell composed (NFC) and trimmed, out of ``="..."`` where a spreadsheet holds text so."""
    cell = unicodedata.normalize("NFC", cell).strip().strip(_NO_WIDTH).strip()
    return cell[2:-1] if len(cell) > 2 and cell.startswith('="') and cell.endswith('"') else cell
