"""Which row of a sheet is which student's: by everything both sides know, and never where that disagrees."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from grader.gradebook.sheets.names import forms, key_of, unlike
from grader.gradebook.sheets.table import Table
from grader.model.report import Standing

Names = Callable[[Standing], tuple[str, ...]]
_ANY_PLATFORM = "pattern"  # a teacher's own pattern says what a submission's id is


def by_submission(platform: str) -> Names:
    """The submission's id, where it is this platform's own: another's number only looks like one."""

    def names(standing: Standing) -> tuple[str, ...]:
        here = standing.accounts.get("platform", "") in (platform, _ANY_PLATFORM)
        return (standing.submission if here else "",)

    return names


def by_student(standing: Standing) -> tuple[str, ...]:
    return (standing.student_id, standing.accounts.get("sis_id", ""))


def by_login(standing: Standing) -> tuple[str, ...]:
    return (standing.accounts.get("login", ""), standing.student_id, standing.email)


def by_email(standing: Standing) -> tuple[str, ...]:
    return (standing.email,)


@dataclass(frozen=True, slots=True)
class Key:
    """A column of the sheet that tells students apart, and what of a standing may stand in it ("": not known)."""

    column: int | None
    names: Names
    local: bool = False  # "Participant 12": the number at its end, which means nothing outside this assignment


@dataclass(frozen=True, slots=True)
class Matched:
    """Standings by row, and what a person has to look at."""

    rows: Mapping[int, Standing]
    doubtful: tuple[str, ...] = ()
    doubtful_rows: frozenset[int] = frozenset()
    without_row: tuple[Standing, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ids:
    """One key on both sides: what each row says, what each standing may be called, and who is whose."""

    theirs: Mapping[int, str]
    ours: Sequence[tuple[str, ...]]
    pairs: Mapping[int, int]
    kinds: frozenset[int]  # which of our names found a row

    def contradict(self, row: int, standing: int) -> bool:
        """Whether a column that tells others apart says that this is somebody else."""
        told, names = self.theirs.get(row, ""), self.ours[standing]
        return told != "" and told not in names and any(names[kind] for kind in self.kinds)


def match(table: Table, rows: Sequence[int], keys: Sequence[Key], names: Sequence[int | None],
          standings: Sequence[Standing]) -> Matched:  # fmt: skip
    """Pair rows with standings. Ids decide; a name does only where it is one of a kind on both sides."""
    columns = [column for column in names if column is not None]
    there = {row: [table.value(row, column) for column in columns] for row in rows}
    candidates: dict[int, set[int]] = {}
    strange: dict[int, str] = {}
    ids = []
    for key in keys:
        if key.column is None:
            continue
        ids.append(_ids(table, rows, key, standings))
        for row, standing in ids[-1].pairs.items():
            candidates.setdefault(row, set()).add(standing)
            if key.local and unlike(" ".join(there[row]), standings[standing].accounts.get("named", "")):
                strange[row] = _strange(table, row, there[row], standings[standing])
    found, doubtful = _agreed(table, candidates, standings)
    doubtful |= {row: why for row, why in strange.items() if found.pop(row, None) is not None}
    taken = set(found.values()) | {number for many in candidates.values() for number in many}
    free = {row for row in rows if row not in candidates}
    left = [number for number in range(len(standings)) if number not in taken]
    by_name = _by_name(there, free, standings, left)
    found |= {row: n for row, n in by_name.items() if not any(each.contradict(row, n) for each in ids)}
    placed = set(found.values())
    return Matched(
        {row: standings[number] for row, number in sorted(found.items())},
        tuple(doubtful[row] for row in sorted(doubtful)),
        frozenset(doubtful),
        tuple(standing for number, standing in enumerate(standings) if number not in placed),
    )


def _ids(table: Table, rows: Sequence[int], key: Key, standings: Sequence[Standing]) -> _Ids:
    ours = [tuple(map(key_of, key.names(standing))) for standing in standings]
    if key.local:
        ours = [tuple(name if name.isdigit() else "" for name in names) for names in ours]
    known: dict[str, set[int]] = {}
    for number, names in enumerate(ours):
        for name in names:
            known.setdefault(name, set()).add(number)
    theirs = {row: _said(table.value(row, key.column), key) for row in rows}
    # A group's submission says nothing about which of its members this is.
    pairs = {row: next(iter(known[told])) for row, told in theirs.items() if told and len(known.get(told, ())) == 1}
    kinds = frozenset(ours[number].index(theirs[row]) for row, number in pairs.items())
    return _Ids(theirs, ours, pairs, kinds)


def _said(cell: str, key: Key) -> str:
    if not key.local:
        return key_of(cell)
    digits = re.search(r"\d+$", cell)
    return digits[0] if digits else ""


def _strange(table: Table, row: int, names: Sequence[str], standing: Standing) -> str:
    return (
        f"line {table.line(row)}: its number is that of {' '.join(names)!r} here, but of "
        f"{standing.accounts['named']!r} in what was handed in; not touched: is this the sheet of this assignment?"
    )


def _agreed(
    table: Table, candidates: Mapping[int, set[int]], standings: Sequence[Standing]
) -> tuple[dict[int, int], dict[int, str]]:
    rows_of: dict[int, set[int]] = {}
    for row, numbers in candidates.items():
        for number in numbers:
            rows_of.setdefault(number, set()).add(row)
    found, doubtful = {}, {}
    for row, numbers in candidates.items():
        number = next(iter(numbers))
        if len(numbers) == 1 and len(rows_of[number]) == 1:
            found[row] = number
            continue
        who = ", ".join(sorted(standings[n].student_id for n in numbers))
        doubtful[row] = f"line {table.line(row)}: its ids fit several students or rows ({who}); not touched"
    return found, doubtful


def _by_name(there: Mapping[int, Sequence[str]], free: Collection[int], standings: Sequence[Standing],
             left: Sequence[int]) -> dict[int, int]:  # fmt: skip
    """Rows and standings whose names fit each other and nobody else, those that are taken included."""
    rows_by, ours_by = dict[str, set[int]](), dict[str, set[int]]()
    theirs = {row: forms(*parts) for row, parts in there.items()}
    ours = [forms(s.name) | forms(s.accounts.get("named", "")) for s in standings]
    for row, names in theirs.items():
        for name in names:
            rows_by.setdefault(name, set()).add(row)
    for number, names in enumerate(ours):
        for name in names:
            ours_by.setdefault(name, set()).add(number)
    found = {}
    for number in left:
        rows = {row for name in ours[number] for row in rows_by.get(name, ())}
        row = next(iter(rows), -1)
        if len(rows) == 1 and row in free:
            fits = {n for name in theirs[row] for n in ours_by.get(name, ())}
            if fits == {number}:
                found[row] = number
    return found
