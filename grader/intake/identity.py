"""Whose hand-in it is: the teacher's map first, then the roster, then what the platform says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.intake.drop.hand_in import HandIn, Person
from grader.intake.found import stem_of
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


class Finder:
    """Tells whose a hand-in is; made once for a class."""

    def __init__(self, roster: Sequence[Student]) -> None:
        self.roster = {student.student_id: student for student in roster}
        self._ways = ways_of(roster)
        self._accounts = _accounts(roster)

    def owner(self, hand_in: HandIn, told: Sequence[str] = ()) -> Owned:
        """Its students: as the map says, else as the roster tells; without a roster, as the layout has it."""
        if told:
            people = tuple(_person(self.roster[who]) if who in self.roster else Person(who) for who in told)
            return Owned(hand_in, people, "map", hand_in.flags)
        if not self.roster:
            return Owned(hand_in, hand_in.people, "layout", hand_in.flags)
        if len(hand_in.people) > 1:
            return _group(hand_in, self._accounts)
        return self._single(hand_in)

    def named(self, hand_in: HandIn) -> set[str]:
        """Everybody who is told in its paths, however many."""
        texts, ways = texts_of(hand_in.paths), self._ways
        found = {s for way in (ways.id, ways.number, ways.name, ways.plain_name) for s in way.told_in(texts)}
        words = {
            word.casefold() for path in hand_in.paths for part in path.split("/") for word in (part, stem_of(part))
        }
        found |= {student for word in words for student in self._accounts.get(word, ())}
        return {student.student_id for student in found}

    def _single(self, hand_in: HandIn) -> Owned:
        ways, places = self._ways, (texts_of([hand_in.label]), texts_of(hand_in.paths))
        for by, way in (("id", ways.id), ("account", None), ("id", ways.number), ("name", ways.name),
                        ("name", ways.plain_name)):  # fmt: skip
            if way is None:
                student = _known(hand_in.people[0], self._accounts, hand_in.ids_are_local)
                found = [] if student is None else [student]
            else:
                found = next(filter(None, map(way.told_in, places)), [])
            if len(found) == 1:
                flags = () if by == "name" else _of_another(found[0], ways, places)
                return Owned(hand_in, (_person(found[0]),), by, (*hand_in.flags, *flags))
            if found:
                break
        return _left(hand_in)


def owners(hand_ins: Iterable[HandIn], roster: Sequence[Student], told: Mapping[str, Sequence[str]]) -> list[Owned]:
    """Each hand-in with its students."""
    find = Finder(roster)
    return [find.owner(hand_in, told.get(hand_in.submission, ())) for hand_in in hand_ins]


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
