"""Which of several files is the one to grade: the required name, else the closest, else the newest."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from grader.intake.found import PYTHON, Found, stem_of
from grader.intake.handed_out import HandedOut, text_of
from grader.model.course import Assignment

_CLOSE_ENOUGH = 0.75
# One addition at the end of a name. Taken off again and again, not repeated in the pattern: that would try every way
# to split a row of digits, and never end.
_COPY = re.compile(
    r"(?:\(\d+\)|（\d+）|copy(?:\s*\(?\d+\)?)?|副本|final|submission|solution|v?(?<!\d)\d+|new|fixed|\.(?:en|zh))$",
    re.IGNORECASE,
)
_COPY_OF = re.compile(r"^(?:copy of|副本)[\s_-]*", re.IGNORECASE)
_ADDITIONS_AT_MOST = 5
_NAME_READ = 120  # characters of a name: no longer one is the required one
_AROUND = re.compile(r"^(?:setup|conftest|__init__|__main__|test_.*|.*_test|checks_public)$")


class Closeness(IntEnum):
    """How much a file's name is the required one."""

    EXACT = 0
    SAME = 1  # but for its case, or a browser's or editor's addition: `attention (1).py`
    HOLDS = 2  # `alice_attention.py`
    CLOSE = 3  # `atention.py`
    OTHER = 4
    AROUND = 5  # the kind of file that stands beside the one to grade


@dataclass(frozen=True, slots=True)
class Choice:
    """The file to grade, and how sure that is."""

    file: Found
    exact: bool  # it has the required name
    rivals: tuple[Found, ...] = ()  # others that could have been meant
    passed_over: Found | None = None  # a file with the required name that is the untouched stub


@dataclass(frozen=True, slots=True)
class _Candidate:
    file: Found
    closeness: Closeness
    untouched: bool
    defines: bool  # its text seems to define a required name

    @property
    def order(self) -> tuple[int, int, int, float, bool, str]:
        """Sorts the likeliest first; among equals the shallow, the new, and a .py before a notebook."""
        found = self.file
        # One assignment's two exact names are equals: a .py goes first there, whatever its age.
        age = 0.0 if self.closeness == Closeness.EXACT else -found.changed
        return self._tier, self.closeness, found.path.count("/"), age, found.kind != PYTHON, found.path

    @property
    def _tier(self) -> int:
        if self.closeness == Closeness.AROUND:
            return 5
        if self.untouched:
            return 3  # still better than a file that has nothing to do with it
        if self.closeness <= Closeness.SAME:
            return 0
        if self.defines:
            return 1
        return 2 if self.closeness < Closeness.OTHER else 4

    @property
    def meant(self) -> bool:
        return self._tier <= 1


def choose(files: Sequence[Found], assignment: Assignment) -> Choice | None:
    """Pick the file to grade; None where there is none."""
    if not files:
        return None
    if len(files) == 1:
        return Choice(files[0], closeness(files[0].name, assignment) == Closeness.EXACT)
    stub = HandedOut(assignment)
    names = re.compile(_definition_of(assignment), re.MULTILINE)
    candidates = []
    for found in files:
        text = text_of(found)
        near = closeness(found.name, assignment)
        candidates.append(_Candidate(found, near, stub.is_untouched(text), names.search(text) is not None))
    best, *others = sorted(candidates, key=lambda candidate: candidate.order)
    passed_over = next((c.file for c in others if c.closeness == Closeness.EXACT and c.untouched), None)
    return Choice(
        best.file,
        best.closeness == Closeness.EXACT,
        tuple(c.file for c in others if c.meant),
        None if best.untouched else passed_over,
    )


def closeness(name: str, assignment: Assignment) -> Closeness:
    """How much a file's name is the one the assignment asks for; its notebook's name counts as well."""
    wanted, stem = stem_of(assignment.file), stem_of(name)
    if name in (assignment.file, f"{wanted}.ipynb"):
        return Closeness.EXACT
    if len(stem) > _NAME_READ:
        return Closeness.OTHER
    bare = _bare(stem).lower()
    flat, want = re.sub(r"[\s_-]+", "_", bare), wanted.lower()
    if flat == want or stem.lower() == want:
        return Closeness.SAME
    if _AROUND.match(stem.lower()):
        return Closeness.AROUND
    if re.search(rf"(?:^|[^a-z]){re.escape(want)}(?:$|[^a-z])", flat):
        return Closeness.HOLDS
    return Closeness.CLOSE if difflib.SequenceMatcher(None, flat, want).ratio() >= _CLOSE_ENOUGH else Closeness.OTHER


def _bare(stem: str) -> str:
    """A name without what browsers, editors and their users put before and behind it."""
    bare = _COPY_OF.sub("", stem)
    for _ in range(_ADDITIONS_AT_MOST):
        shorter = _COPY.sub("", bare.rstrip(" _-"))
        if shorter == bare.rstrip(" _-"):
            break
        bare = shorter
    return bare.strip(" _-")


def _definition_of(assignment: Assignment) -> str:
    names = "|".join(re.escape(function.name) for function in assignment.functions) or "(?!)"
    return rf"^[ \t]*+(?:(?:async[ \t]++)?def|class)[ \t]++(?:{names})\b|^(?:{names})[ \t]*+="
