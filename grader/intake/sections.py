"""Folders that hold several students' work, as the sections of a class do, where one student's was expected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.intake.choice import Closeness, closeness
from grader.intake.drop import Drop, Gathered, HandIn
from grader.intake.drop.hand_in import Tree
from grader.intake.drop.plain import hand_in, is_beside
from grader.intake.identity import Finder
from grader.intake.roster import Student
from grader.model.course import Assignment

_NUMBER = re.compile(r"(?<!\d)\d{6,}(?!\d)")
_DATE = re.compile(r"20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{4}|\d{6})?|\d{6}")


def taken_apart(drop: Drop, gathered: Gathered, roster: Sequence[Student], assignment: Assignment) -> Gathered:
    """Each folder in which the things themselves are named for students, as one hand-in of each; at any depth."""
    sections = _Sections(Tree(drop), Finder(roster), assignment)
    found = [sections.parts(one) for one in gathered.hand_ins]
    if any(len(parts) > 1 for parts in found):  # then the other folders are sections as well
        found = [parts if len(parts) > 1 else sections.parts(parts[0], least=1) for parts in found]
    return replace(gathered, hand_ins=tuple(part for parts in found for part in parts))


@dataclass(frozen=True, slots=True)
class _Sections:
    tree: Tree
    find: Finder
    assignment: Assignment

    def parts(self, one: HandIn, least: int = 2) -> Sequence[HandIn]:
        """The works in a folder that holds those of so many students, else the hand-in as it is."""
        if one.whole is None or not one.whole.is_folder or self._told(one) or len(self._several(one)) < least:
            return (one,)
        works = [entry for entry in self.tree.inside(one.whole).top if not is_beside(entry)]
        if any(not entry.is_folder and closeness(entry.name, self.assignment) <= Closeness.SAME for entry in works):
            return (one,)  # somebody's own folder
        inner = [hand_in(self.tree, entry) for entry in works]
        parts = [part for each in inner for part in self.parts(replace(each, shown=f"{one.shown}/{each.shown}"))]
        return parts if len({self._told(part) for part in parts} - {""}) >= least else (one,)

    def _told(self, one: HandIn) -> str:
        """The one student whom it is named for; without a roster, the number."""
        if not self.find.roster:
            return next(iter(_numbers(one.label)), "")
        owned = self.find.owner(replace(one, pieces=()))
        return owned.people[0].id if owned.by else ""

    def _several(self, one: HandIn) -> set[str]:
        return self.find.named(one) if self.find.roster else {n for path in one.paths for n in _numbers(path)}


def _numbers(text: str) -> list[str]:
    """Numbers that are as long as ids are, and no dates."""
    return [number for number in _NUMBER.findall(text) if not _DATE.fullmatch(number)]
