"""Writing marks into a sheet: the part that every platform shares."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from grader.gradebook.guard import guarded, is_formula
from grader.gradebook.sheets.filled import Change, Filled, Wanted, scaled
from grader.gradebook.sheets.matching import Key, Matched, match
from grader.gradebook.sheets.table import Table, number, written
from grader.gradebook.wide import counted
from grader.model import Standing

_LISTED = 10
_NO_FORMULA = re.compile(r'="[^"]*"|[-+=@]|[-+]?[\d.,]+')  # a platform's own guard, a lone sign, a number


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a platform's sheet keeps what."""

    rows: Sequence[int]  # the students'
    keys: Sequence[Key]
    names: Sequence[int | None]
    grade: int
    maximum: Callable[[int], Fraction | None]  # by row
    comment: int | None = None
    closed: Callable[[int], str] = lambda _row: ""  # why a row must not be touched
    keep: Sequence[int] | None = None  # the columns to hand back; all, if not given
    numbers: Sequence[int | None] = field(default=())  # columns that show how numbers are written


def fill(table: Table, standings: Sequence[Standing], layout: Layout, wanted: Wanted) -> Filled:
    """Put every mark that counts into its row.

    Raises:
        UsageError: the sheet has another maximum.
    """
    matched = match(table, layout.rows, layout.keys, layout.names, standings)
    comma = table.decimal_comma([layout.grade, *layout.numbers])
    edits: dict[tuple[int, int], str] = {}
    changes, notes, unchanged, comments, blank = [], [], 0, 0, list[str]()
    for row, standing in matched.rows.items():
        score = counted(standing)
        if why := layout.closed(row):
            notes.append(f"line {table.line(row)}: {standing.student_id}: {why}; not touched")
            continue
        if score is None:
            blank.append(standing.student_id)
        else:
            value = scaled(score, standing.max_score, layout.maximum(row), wanted, table)
            old = table.value(row, layout.grade)
            if number(old) == value:
                unchanged += 1
            else:
                new = written(value, comma=comma)
                edits[row, layout.grade] = new
                changes.append(Change(table.line(row), standing.student_id, old, new))
        if standing.comment and layout.comment is not None:
            comments += 1
            edits[row, layout.comment] = guarded(standing.comment)
    guards = _guards(table, layout)
    lost = [s for s in matched.without_row if counted(s) is not None]
    notes += _notes(layout, matched, blank, lost, len(guards))
    data = table.changed({**guards, **edits}, layout.keep)
    return Filled(data, tuple(changes), unchanged, comments, tuple(notes), len(lost))


def _guards(table: Table, layout: Layout) -> Mapping[tuple[int, int], str]:
    """The cells of students' rows that a spreadsheet would take for formulas; ids stay what the platform knows."""
    fixed = {key.column for key in layout.keys}
    cells: dict[tuple[int, int], str] = {}
    for row in layout.rows:
        for column, cell in enumerate(table.rows[row]):
            text = cell.value.strip()
            if column not in fixed and is_formula(text) and not _NO_FORMULA.fullmatch(text):
                cells[row, column] = guarded(cell.value)
    return cells


def _notes(layout: Layout, matched: Matched, blank: Sequence[str], lost: Sequence[Standing], guards: int) -> list[str]:
    nobody = len(layout.rows) - len(matched.rows) - len(matched.doubtful)
    known = any(layout.maximum(row) is not None for row in layout.rows)
    return [
        *matched.doubtful,
        *_listed("not written, since there is no mark that counts", blank),
        *_listed("have a mark but no row in this sheet", [s.student_id for s in lost]),
        *([f"{nobody} rows are nobody's here and stay as they are"] if nobody else []),
        *([f"{guards} cells that look like formulas got a leading '"] if guards else []),
        *([] if known else ["the sheet does not say its maximum: compare it by hand"]),
    ]


def _listed(what: str, who: Sequence[str]) -> list[str]:
    if not who:
        return []
    more = f" and {len(who) - _LISTED} more" if len(who) > _LISTED else ""
    return [f"{len(who)} {what}: {', '.join(who[:_LISTED])}{more}"]


def column(table: Table, *names: str) -> int | None:
    """The first column called one of these, whatever the case."""
    header = [" ".join(cell.casefold().split()) for cell in table.header]
    return next((header.index(name.casefold()) for name in names if name.casefold() in header), None)


def the_one(found: Mapping[int, str], wanted: Wanted, table: Table, kind: str) -> int:
    """The column of the assignment: named by a person, else like the assignment, else the only one.

    Raises:
        UsageError: none, or several; lists them.
    """
    from grader.errors import UsageError

    titles = (wanted.column,) if wanted.column else (wanted.assignment, *wanted.titles)
    asked = {_plain(title) for title in titles}
    fits = [at for at, title in found.items() if _plain(title) in asked or (at < len(table.header)
            and _plain(table.header[at]) in asked)]  # fmt: skip
    if len(fits) == 1:
        return fits[0]
    if not fits and len(found) == 1 and not wanted.column:
        return next(iter(found))
    there = "; ".join(found.values()) or f"no {kind} at all"
    said = f"no {kind} is called {wanted.column!r}" if wanted.column else f"which {kind} is this assignment's?"
    raise UsageError(f"{table.name}: {said} Name one with --column; there is {there}")


def _plain(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.casefold()))
