"""Writing marks into a sheet: the part that every platform shares."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from grader.errors import UsageError
from grader.gradebook.guard import begins_formula, guarded_text
from grader.gradebook.sheets.filled import Change, Filled, Wanted, scaled
from grader.gradebook.sheets.matching import Key, Matched, match
from grader.gradebook.sheets.numbers import number, written
from grader.gradebook.sheets.table import Table
from grader.gradebook.wide import counted
from grader.model.report import Standing

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
    edits = _guards(table, layout)
    guards = len(edits)
    changes, closed, unchanged, comments, blank = [], [], 0, 0, list[str]()
    for row, standing in matched.rows.items():
        score = counted(standing)
        if why := layout.closed(row):
            closed.append(f"line {table.line(row)}: {standing.student_id}: {why}; not touched")
            continue
        if score is None:
            blank.append(f"{standing.student_id} ({standing.status})")
        else:
            value = scaled(score, standing.max_score, layout.maximum(row), wanted, table)
            old = table.value(row, layout.grade)
            if number(old) == value:
                unchanged += 1
            else:
                new = edits[row, layout.grade] = written(value, comma=comma)
                changes.append(Change(table.line(row), _who(standing), old, new))
        if standing.comment and layout.comment is not None:
            comments += 1
            edits[row, layout.comment] = guarded_text(standing.comment)
    lost = [s for s in matched.without_row if counted(s) is not None]
    return Filled(
        table.changed(edits, layout.keep),
        tuple(changes),
        unchanged,
        comments,
        notes=(*closed, *_notes(table, layout, matched, blank, lost, guards)),
        column=table.header[layout.grade],
        unsettled=len(lost) + len(matched.doubtful),
    )


def _who(standing: Standing) -> str:
    return f"{standing.student_id} {standing.name}".strip()


def _guards(table: Table, layout: Layout) -> dict[tuple[int, int], str]:
    """The cells of students' rows that a spreadsheet would take for formulas; what the platform knows a row by stays.

    What people of the course wrote there is theirs: marks and comments are not looked at.
    """
    first, *others = (key.column for key in layout.keys)
    cells: dict[tuple[int, int], str] = {}
    for row in layout.rows:
        ours = {layout.grade, layout.comment, first, *([] if table.value(row, first) else others)}
        for column, cell in enumerate(table.rows[row]):
            text = cell.value.strip()
            if column not in ours and begins_formula(text) and not _NO_FORMULA.fullmatch(text):
                cells[row, column] = f"'{cell.value}"
    return cells


def _notes(
    table: Table, layout: Layout, matched: Matched, blank: Sequence[str], lost: Sequence[Standing], guards: int
) -> list[str]:
    rows = [row for row in layout.rows if row not in matched.rows and row not in matched.doubtful_rows]
    known = any(layout.maximum(row) is not None for row in layout.rows)
    return [
        *matched.doubtful,
        *_listed("without a mark that counts; nothing was written", blank),
        *_listed("with a mark but without a row in this sheet", [_who(s) for s in lost]),
        *_listed("in the sheet but not in this class; nothing was written", [_row(table, layout, r) for r in rows]),
        *([f"{guards} cells that a spreadsheet would take for formulas got a leading '"] if guards else []),
        *([] if known else ["the sheet does not say its maximum: compare it by hand"]),
    ]


def _row(table: Table, layout: Layout, row: int) -> str:
    """A row as a person finds it: its name, else its id."""
    name = " ".join(filter(None, (table.value(row, column) for column in layout.names)))
    ids = (table.value(row, key.column) for key in layout.keys)
    return f"line {table.line(row)} {name or next(filter(None, ids), '')}".strip()


def _listed(what: str, who: Sequence[str]) -> list[str]:
    return [f"{len(who)} {what}: {', '.join(who)}"] if who else []


def column(table: Table, *names: str) -> int | None:
    """The first column called one of these, whatever the case."""
    header = [" ".join(cell.casefold().split()) for cell in table.header]
    return next((header.index(name.casefold()) for name in names if name.casefold() in header), None)


def the_one(found: Mapping[int, str], wanted: Wanted, table: Table, kind: str) -> int:
    """The column of the assignment: named by a person, else like the assignment, else the only one.

    Raises:
        UsageError: none, or several; lists them.
    """
    heads = {at: table.header[at] for at in found}
    titles = (wanted.column,) if wanted.column else (wanted.assignment, *wanted.titles)
    asked = {_plain(title) for title in titles}
    fits = [
        at for at, title in found.items()
        if {_plain(title), _plain(heads[at])} & asked or wanted.column in (heads[at], _number_of(heads[at]) or None)
    ]  # fmt: skip
    if len(fits) == 1:
        return fits[0]
    if not fits and len(found) == 1 and not wanted.column:
        return next(iter(found))
    there = "; ".join(heads[at] for at in fits or found) or f"no {kind} at all"
    said = f"no {kind} is called {wanted.column!r}" if wanted.column else f"which {kind} is this assignment's?"
    raise UsageError(f"{table.name}: {said}; name one with --column; there is {there}")


def _number_of(head: str) -> str:
    """The platform's own number of a column, as people may name it: ``Title (12)``, ``Title [...] |12``."""
    found = re.search(r"\(\d+\)$|\|\s*\d+$", head)
    return found[0].strip("()| ") if found else ""


def _plain(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.casefold()))
