"""Which row of a sheet is which student's: by everything both sides know, and never where that disagrees."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.gradebook.sheets.table import Table
from grader.model import Standing

Names = Callable[[Standing], tuple[str, ...]]


def by_submission(standing: Standing) -> tuple[str, ...]:
    return (standing.submission,)


def by_student(standing: Standing) -> tuple[str, ...]:
    return (standing.student_id, standing.accounts.get("sis_id", ""))


def by_login(standing: Standing) -> tuple[str, ...]:
    return (standing.accounts.get("login", ""), standing.student_id, standing.email)


def by_email(standing: Standing) -> tuple[str, ...]:
    return (standing.email,)


@dataclass(frozen=True, slots=True)
class Key:
    """A column of the sheet that tells students apart, and what of a standing may stand in it."""

    column: int | None
    names: Names
    digits: bool = False  # only the number at its end counts: "Participant 12"


@dataclass(frozen=True, slots=True)
class Matched:
    """Standings by row, and what a person has to look at."""

    rows: Mapping[int, Standing]
    doubtful: tuple[str, ...] = ()
    without_row: tuple[Standing, ...] = ()


def match(table: Table, rows: Sequence[int], keys: Sequence[Key], names: Sequence[int | None],
          standings: Sequence[Standing]) -> Matched:  # fmt: skip
    """Pair rows with standings. Ids decide; a name does only where it is one of a kind on both sides."""
    candidates: dict[int, set[int]] = {}
    for key in keys:
        for row, standing in _pairs(table, rows, key, standings):
            candidates.setdefault(row, set()).add(standing)
    found, doubtful = _agreed(table, candidates, standings)
    taken = set(found.values()) | {number for many in candidates.values() for number in many}
    free = [row for row in rows if row not in candidates]
    left = [number for number in range(len(standings)) if number not in taken]
    found |= _by_name(table, free, names, standings, left)
    there = set(found.values())
    return Matched(
        {row: standings[number] for row, number in sorted(found.items())},
        tuple(doubtful),
        tuple(standing for number, standing in enumerate(standings) if number not in there),
    )


def key_of(text: str) -> str:
    """What two spellings of one id or name share."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _pairs(table: Table, rows: Sequence[int], key: Key, standings: Sequence[Standing]) -> Iterator[tuple[int, int]]:
    if key.column is None:
        return
    known: dict[str, set[int]] = {}
    for number, standing in enumerate(standings):
        for name in {key_of(name) for name in key.names(standing) if name}:
            known.setdefault(name, set()).add(number)
    for row in rows:
        told = table.value(row, key.column)
        if key.digits:
            digits = re.search(r"\d+$", told)
            told = digits[0] if digits else ""
        who = known.get(key_of(told), set()) if told else set()
        if len(who) == 1:  # a group's submission says nothing about which of its members this is
            yield row, next(iter(who))


def _agreed(
    table: Table, candidates: Mapping[int, set[int]], standings: Sequence[Standing]
) -> tuple[dict[int, int], list[str]]:
    rows_of: dict[int, set[int]] = {}
    for row, numbers in candidates.items():
        for number in numbers:
            rows_of.setdefault(number, set()).add(row)
    found, doubtful = {}, []
    for row, numbers in candidates.items():
        number = next(iter(numbers))
        if len(numbers) == 1 and len(rows_of[number]) == 1:
            found[row] = number
            continue
        who = ", ".join(sorted(standings[n].student_id for n in numbers))
        doubtful.append(f"line {table.line(row)}: its ids fit several students or rows ({who}); not touched")
    return found, doubtful


def _by_name(table: Table, rows: Sequence[int], columns: Sequence[int | None], standings: Sequence[Standing],
             left: Sequence[int]) -> dict[int, int]:  # fmt: skip
    there: dict[tuple[str, ...], list[int]] = {}
    for row in range(len(table.rows)):  # rows that are taken, too: a name must be one of a kind
        if words := _words(" ".join(table.value(row, column) for column in columns if column is not None)):
            there.setdefault(words, []).append(row)
    ours: dict[tuple[str, ...], list[int]] = {}
    for number, standing in enumerate(standings):
        if words := _words(standing.name):
            ours.setdefault(words, []).append(number)
    return {
        there[words][0]: numbers[0]
        for words, numbers in ours.items()
        if len(numbers) == 1 and numbers[0] in left and len(there.get(words, ())) == 1 and there[words][0] in rows
    }


def _words(name: str) -> tuple[str, ...]:
    """The words of a name in any order, without what stands between them."""
    return tuple(sorted(re.findall(r"\w+", key_of(name))))
