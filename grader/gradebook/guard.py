"""Cells that no spreadsheet takes for a formula."""

from __future__ import annotations

import re

from grader.reports.untrusted import one_line, printable

_CELL = 500  # characters
_TEXT = 20_000
# What a spreadsheet may take for the start of a formula, also behind blanks, and behind what it may split cells at.
_SPLITS = ";|"
_BEGINS = re.compile(r"[\s'\"]*+[=+\-@＝＋－＠]|[\x00-\x08\x0b\x0c\x0e-\x1f]")
_FORMULA = re.compile(r"(?:^|[;|])[\s'\"]*+[=+\-@＝＋－＠]")


def guarded(cell: str) -> str:
    """``cell`` on one line, what hides in it written out, such that no spreadsheet takes it for a formula."""
    cell = one_line(cell, limit=_CELL)
    if not is_formula(cell):
        return cell
    return "'" + _FORMULA.sub(lambda found: "," + found[0][1:] if found[0][0] in _SPLITS else found[0], cell)


def guarded_text(text: str) -> str:
    """The same for what a person wrote to be read in full: its lines stay."""
    text = printable(text, limit=_TEXT).strip()
    return f"'{text}" if begins_formula(text) else text


def begins_formula(cell: str) -> bool:
    """Whether a spreadsheet may take all of a cell for a formula, whatever it splits cells at."""
    return _BEGINS.match(cell) is not None


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet may take it for one."""
    return _FORMULA.search(cell) is not None


def unguarded(cell: str) -> str:
    """What was guarded, as far as the cell still tells."""
    return cell[1:] if cell.startswith("'") and is_formula(cell[1:]) else cell
