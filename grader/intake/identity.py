"""Whose hand-in it is: the teacher's map first, then the roster, then what the platform says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.intake.drop.hand_in import HandIn, Person
from grader.intake.roster import Student
from grader.intake.telling import Texts, Ways, texts_of, ways_of
from grader.model.submission import Flag


@dataclass(frozen=True, slots=True)
class Owned:
    """A hand-in and its students. ``by`` says how that is known; "" where it is not."""

    hand_in: HandIn
    people: tuple[Person, ...]
    by: str
    flags: tuple[Flag, ...] = ()


def owners(hand_ins: Iterable[HandIn], roster: Sequence[Student], told: Mapping[str, Sequence[str]]) -> list[Owned]:
    """Each hand-in with its students; without a roster, as the layout has it."""
    by_id = {student.student_id: student for student in roster}
    ways = ways_of(roster)
    accounts = _accounts(roster)
    return [_owner(hand_in, ways, accounts, by_id, told.get(hand_in.submission, ())) for hand_in in hand_ins]


def _owner(
    hand_in: HandIn,
    ways: Ways,
    accounts: Mapping[str, set[Student]],
    by_id: Mapping[str, Student],
    told: Sequence[str],
) -> Owned:
    if told:
        people = tuple(_person(by_id[student]) if student in by_id else Person(student) for student in told)
        return Owned(hand_in, people, "map", hand_in.flags)
    if not by_id:
        return Owned(hand_in, hand_in.people, "layout", hand_in.flags)
    if len(hand_in.people) > 1:
        return _group(hand_in, accounts)
    places = (texts_of([hand_in.label]), texts_of(hand_in.paths))
    for by, way in (("id", ways.id), ("account", None), ("id", ways.number), ("name", ways.name),
                    ("name", ways.plain_name)):  # fmt: skip
        if way is None:
            student = _known(hand_in.people[0], accounts, hand_in.ids_are_local)
            found = [] if student is None else [student]
        else:
            found = next(filter(None, map(way.told_in, places)), [])
        if len(found) == 1:
            flags = () if by == "name" else _of_another(found[0], ways, places)
            return Owned(hand_in, (_person(found[0]),), by, (*hand_in.flags, *flags))
        if found:
            break
    return _left(hand_in)


def _of_another(student: Student, ways: Ways, places: Iterable[Texts]) -> tuple[Flag, ...]:
    """A word where an id is one student's and the name beside it another's: one digit of it may be wrong."""
    for texts in places:
        named = ways.plain_name.told_in(texts)
        if len(named) == 1 and named[0].name != student.name:
            detail = (
                f"the id is {student.student_id}'s ({student.name}), the name {named[0].student_id}'s ({named[0].name})"
            )
            return (Flag("name_of_another", detail),)
    return ()


def _group(hand_in: HandIn, accounts: Mapping[str, set[Student]]) -> Owned:
    known = [_known(person, accounts, local=False) for person in hand_in.people]
    people = tuple(p if s is None else _person(s) for p, s in zip(hand_in.people, known, strict=True))
    return Owned(hand_in, people, "account", hand_in.flags) if all(known) else replace(_left(hand_in), people=people)


def _left(hand_in: HandIn) -> Owned:
    note = Flag("not_on_roster", "nothing in its name tells exactly one student of the roster")
    return Owned(hand_in, hand_in.people, "", (*hand_in.flags, note))


def _accounts(roster: Sequence[Student]) -> dict[str, set[Student]]:
    """Students by each key a platform may know them by."""
    accounts: dict[str, set[Student]] = {}
    for student in roster:
        for key in (student.student_id, student.login, student.sis_id, student.github, student.email):
            if key:
                accounts.setdefault(key.casefold(), set()).add(student)
    return accounts


def _known(person: Person, accounts: Mapping[str, set[Student]], local: bool) -> Student | None:
    """The one student with this account."""
    said = (person.email,) if local else (person.email, person.id)
    found = {student for key in said for student in accounts.get(key.casefold(), ())}
    return next(iter(found)) if len(found) == 1 else None


def _person(student: Student) -> Person:
    return Person(student.student_id, student.name, student.email)
