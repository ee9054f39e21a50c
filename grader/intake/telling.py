"""What tells a student in a path: an id or a name, as it stands, else as people write it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from grader.intake.roster import Student

_SHORTEST_ID = 4  # characters: a shorter one of digits or letters alone occurs in names by chance
_NUMBER_OF_ITS_OWN = 6  # digits: what is that long is no version and no date's part, also with letters at it
_WORDS_AT_MOST = 6
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "þ": "th", "æ": "ae", "œ": "oe"})


@dataclass(frozen=True, slots=True)
class Marks:
    """Patterns are kept as text: most are never looked for, and thousands take seconds to compile."""

    student: Student
    id: str
    id_there: str
    digits: str  # of an id that is a number, without the zeros in front; "" where it is none
    digits_there: str  # with any zeros, a long one also with letters at its ends
    word: str  # the name's first, "" where there is none
    name_there: str  # whichever word comes first, blanks and signs between them or not
    plain_word: str  # the same without accents
    plain_name_there: str  # without accents, or with the surname of a Chinese name behind the given one


@dataclass(frozen=True, slots=True)
class Texts:
    """Where students are looked for: the same places in each form that they are compared in."""

    spelled: tuple[str, ...]
    folded: str
    plain: tuple[str, ...]
    all_plain: str


def texts_of(spelled: Iterable[str]) -> Texts:
    texts = tuple(unicodedata.normalize("NFKC", text) for text in spelled)
    plain = tuple(map(_without_accents, texts))
    return Texts(texts, "\n".join(texts).casefold(), plain, "\n".join(plain))


def marks_of(student: Student) -> Marks:
    """What to look for, made once a student: a class of thousands is compared with a roster of thousands."""
    name = unicodedata.normalize("NFKC", student.name)
    words, plain = (re.findall(r"[^\W_]+", form) for form in (name, _without_accents(name)))
    swapped = _surname_last(plain)
    digits = student.student_id.lstrip("0") if re.fullmatch(r"[0-9]+", student.student_id) else ""
    edge = "0-9" if len(digits) >= _NUMBER_OF_ITS_OWN else "0-9A-Za-z"
    return Marks(
        student,
        student.student_id.casefold(),
        rf"(?i)(?<![0-9A-Za-z]){re.escape(student.student_id)}(?![0-9A-Za-z])",
        digits if len(digits) >= _SHORTEST_ID else "",
        rf"(?<![{edge}])0*{digits}(?![{edge}])",
        words[0].casefold() if words else "",
        _anywhere(_turned(words)),
        (plain[0][:1] if swapped else plain[0]) if plain else "",
        _anywhere([*_turned(plain), *swapped]),
    )


@dataclass(frozen=True, slots=True)
class Way:
    """One way to tell a student: who could be meant by what stands there, and whether it is so."""

    by: str
    plain: bool
    needles: Mapping[str, Sequence[Marks]]
    holds: Callable[[Texts, Marks], bool]

    def told_in(self, texts: Texts) -> list[Student]:
        """The students that are told there; a name inside a longer one that is there as well is none."""
        text = texts.all_plain if self.plain else texts.folded
        near = [needle for needle in self.needles if needle in text]  # this line is where the time goes
        found = [marks.student for needle in near for marks in self.needles[needle] if self.holds(texts, marks)]
        if len(found) < 2 or self.by != "name":
            return found
        return [s for s in found if not any(s.name != other.name and s.name in other.name for other in found)]


@dataclass(frozen=True, slots=True)
class Ways:
    """What is looked for in the paths of a class, the surest first in each pair."""

    id: Way
    number: Way
    name: Way
    plain_name: Way


def ways_of(roster: Iterable[Student]) -> Ways:
    marks = [marks_of(student) for student in roster]
    return Ways(
        Way("id", False, _by(marks, lambda m: m.id), _holds_id),
        Way("id", False, _by(marks, lambda m: m.digits), lambda texts, m: _there(m.digits_there, texts.spelled)),
        Way("name", False, _by(marks, lambda m: m.word), lambda texts, m: _there(m.name_there, texts.spelled)),
        Way("name", True, _by(marks, lambda m: m.plain_word), lambda texts, m: _there(m.plain_name_there, texts.plain)),
    )


def _by(marks: Iterable[Marks], needle: Callable[[Marks], str]) -> dict[str, list[Marks]]:
    found: dict[str, list[Marks]] = {}
    for each in marks:
        if needle(each):
            found.setdefault(needle(each), []).append(each)
    return found


def _holds_id(texts: Texts, marks: Marks) -> bool:
    """The id as the roster has it, and nothing of its kind at its ends."""
    if len(marks.id) >= _SHORTEST_ID or (re.search(r"\d", marks.id) and re.search(r"[^\W\d]", marks.id)):
        return _there(marks.id_there, texts.spelled)
    first = rf"(?i){re.escape(marks.id)}(?:[^0-9A-Za-z.(].*)?"  # alone, or in front of all else
    return any(_pattern(first).fullmatch(text) for text in texts.spelled)


def _turned(words: Sequence[str]) -> list[Sequence[str]]:
    """The words from each of them on, and round: ``Ana Diaz Roa``, ``Diaz Roa Ana``, ``Roa Ana Diaz``."""
    if len(words) > _WORDS_AT_MOST:
        return [words, [words[-1], *words[:-1]]]
    return [[*words[at:], *words[:at]] for at in range(len(words))]


def _surname_last(words: Sequence[str]) -> list[Sequence[str]]:
    name = words[0] if len(words) == 1 else ""
    if not 2 <= len(name) <= 4 or not all("\u3400" <= char <= "\u9fff" for char in name):
        return []
    return [[name[at:], name[:at]] for at in (1, 2) if at < len(name)]


def _anywhere(orders: Sequence[Sequence[str]]) -> str:
    ways = "|".join(r"[\W_]*".join(map(re.escape, order)) for order in orders)
    return rf"(?i)(?<![^\W\d_])(?:{ways})(?![^\W\d_])"


def _without_accents(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.casefold())
    return "".join(char for char in apart if not unicodedata.combining(char)).translate(_LETTERS)


def _there(pattern: str, texts: Iterable[str]) -> bool:
    return any(_pattern(pattern).search(text) for text in texts)


_pattern = lru_cache(20_000)(re.compile)
