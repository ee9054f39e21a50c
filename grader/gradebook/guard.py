"""Cells that no spreadsheet takes for a formula."""

from __future__ import annotations

import re

from grader.reports.untrusted import one_line

_CELL = 500  # characters
# What a spreadsheet may take for the start of a formula, also behind blanks, and behind what it may split cells at.
_SPLITS = ";|"
_FORMULA = re.compile(r"(?:^|[;|])[\s'\"]*+[=+\-@＝＋－＠]")


def guarded(cell: str) -> str:
    """``cell`` on one line, what hides in it written out, such that no spreadsheet takes it for a formula."""
    cell = one_line(cell, limit=_CELL)
    if not is_formula(cell):
        return cell
    return "'" + _FORMULA.sub(lambda found: "," + found[0][1:] if found[0][0] in _SPLITS else found[0], cell)


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet may take it for one."""
    return _FORMULA.search(cell) is not None


def unguarded(cell: str) -> str:
    """What was guarded, as far as the cell still tells."""
    return cell[1:] if cell.startswith("'") and is_formula(cell[1:]) else cell
