"""A class after grading, read from its store: final documents, one standing a student, and the files made of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any

from grader.commands.class_late import held_facts, late_of
from grader.document import clean
from grader.gradebook.late_lines import with_late_lines
from grader.gradebook.standings import Late, order, standings_of
from grader.model.course import Text
from grader.model.outcome import Status
from grader.model.report import Standing
from grader.scoring import rounded
from grader.store import HandedIn, Override, Rubric, Store, rescored, rubric_from

BY_PERSON = Text(
    "A person has looked at this and changed its mark; the mark that counts stands in the gradebook.",
    "有人查看过这份作业并修改了分数；以成绩册中的分数为准。",
)
_STANDS = Text("a person's mark stands as it is", "人工给出的分数不再扣分")
Words = Mapping[str, Override]  # the word that holds, by criterion; "" is the whole


class ClassOut:
    """One reading of a store. Documents are made one at a time: memory does not grow with the class."""

    def __init__(self, store: Store, rubric: Rubric | None = None, late: Late | None = None) -> None:
        """``rubric`` and ``late``: those that hold from now on, where the store does not hold them yet."""
        self._store = store
        noted = store.fact("rubric")
        self._rubric = rubric or (rubric_from(noted) if noted else None)
        self._students: dict[str, list[str]] = {}
        for seat in store.seats():
            self._students.setdefault(seat.submission, []).append(seat.student_id)
        self._words = words_of(store.overrides())
        self._late = late or late_of(held_facts(store), store.handed_in())
        self._held = {(p.submission, p.student_id): p.standing for p in store.published()}
        self._people = {seat.student_id: (seat.name, seat.email) for seat in store.seats()}
        self._accounts = {seat.student_id: seat.accounts for seat in store.seats() if seat.accounts}

    @property
    def criteria(self) -> tuple[str, ...]:
        """The lines of the rubric."""
        return () if self._rubric is None else tuple(c.id for c in self._rubric.criteria)

    def documents(self) -> Iterator[dict[str, Any]]:
        """The staff document of each submission, in the order of the class; published ones as they were."""
        for handed_in in self._store.handed_in():
            yield self._document(handed_in)

    def _document(self, handed_in: HandedIn) -> dict[str, Any]:
        published = self._store.published_document(handed_in.submission)
        return self.document(handed_in) if published is None else with_late_lines(published, self._rows(published))

    def document(self, handed_in: HandedIn, raw: Mapping[str, Any] | None = None, rubric: str = "") -> dict[str, Any]:
        """With marks by the rubric as it is now, and what was noticed before anything ran."""
        if raw is None:
            kept = self._store.result(handed_in.submission, handed_in.conditions, handed_in.digest)
            raw, rubric = kept.document, kept.rubric
        return self.completed(raw, rubric, handed_in, self._students.get(handed_in.submission, []))

    def completed(
        self, raw: Mapping[str, Any], rubric: str, handed_in: HandedIn, students: list[str]
    ) -> dict[str, Any]:
        document = dict(raw)
        if self._rubric is not None and rubric != self._rubric.digest:
            document = rescored(raw, self._rubric)
        document["submission"] = {**raw["submission"], "students": [clean(s) for s in students]}
        if handed_in.origin:
            document["submission"]["origin"] = clean(handed_in.origin)
        document["flags"] = [*raw["flags"], *handed_in.flags]
        if handed_in.reason and raw["status"] == Status.NOT_GRADABLE:
            document["reason"] = handed_in.reason
        said = [word for student in students for word in self._words.get(student, {}).values()]
        if said:
            comments = dict.fromkeys(word.comment for word in said if word.comment)
            texts = [BY_PERSON.pick(raw["lang"]), *comments]
            document["remarks"] = [*raw["remarks"], *({"text": clean(text)} for text in texts)]
        return with_late_lines(document, self._rows(document))

    def for_each_student(self) -> Iterator[dict[str, Any]]:
        """The same documents with the marks that count: one a student where people's differ from the machine's."""
        for document in self.documents():
            yield from self._spread(document, self._held)

    def _spread(self, document: dict[str, Any], held: Mapping[tuple[str, str], str]) -> Iterator[dict[str, Any]]:
        name = document["submission"]["id"]
        students = document["submission"]["students"] or [name]
        apart = [student for student in students if student in self._words or (name, student) in held]
        rest = [student for student in students if student not in apart]
        if rest:
            yield _of(document, rest)
        for student in apart:
            if (name, student) in held:
                yield frozen(_of(document, [student]), standing_from(held[name, student]))
            else:
                yield overridden(_of(document, [student]), self._words[student])

    def standings(self) -> list[Standing]:
        """One a student, by student, then submission: derived, late, overridden, then as published."""
        return sorted((row for document in self.documents() for row in self._rows(document)), key=order)

    def by_student(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every student with the document, in the order of every table."""
        places = {each.submission: each for each in self._store.handed_in()}
        seats = {(student, name) for name in places for student in self._students.get(name) or [name]}
        for student, name in sorted(seats):
            yield clean(student), self._document(places[name])

    def with_rows(self) -> Iterator[tuple[dict[str, Any], list[Standing]]]:
        """Each document with the standings of its students."""
        for document in self.documents():
            yield document, list(self._rows(document))

    def _rows(self, document: dict[str, Any]) -> Iterator[Standing]:
        """The standing of each student of a document."""
        machine = None if document["score"] is None else Fraction(round(document["score"] * 100), 100)
        for each in self._spread(document, {}):
            rows = standings_of(each, self._people, late=self._late, accounts=self._accounts, lang=document["lang"])
            for row in rows:
                held = self._held.get((row.submission, row.student_id))
                yield self._with_words(row, machine) if held is None else standing_from(held)

    def _with_words(self, standing: Standing, machine: Fraction | None) -> Standing:
        words = self._words.get(standing.student_id)
        if words is None:
            return standing
        comment = "\n".join(dict.fromkeys(word.comment for word in words.values() if word.comment))
        whole = words.get("")
        if whole is not None and whole.marks is not None and not standing.practice:
            standing = _untouched(standing, whole.marks, self._store.fact("lang") or "en")
        return replace(standing, machine=machine, comment=comment, overridden=True)


def _untouched(standing: Standing, marks: Fraction, lang: str) -> Standing:
    """A person's mark of the whole stands as it is: nothing is taken off it, and the row says so where it was late."""
    note = standing.late_note
    if standing.late_days:
        said = _STANDS.pick(lang)
        note = f"{note}; {said}" if lang == "en" else f"{note}；{said}"
    return replace(standing, score=marks, late_penalty=Fraction(0), late_note=note)


def words_of(overrides: list[Override]) -> dict[str, dict[str, Override]]:
    """By student, the latest word on each criterion that was not withdrawn."""
    words: dict[str, dict[str, Override]] = {}
    for given in overrides:
        words.setdefault(given.student_id, {})[given.criterion] = given
    held = {s: {c: w for c, w in each.items() if w.marks is not None or w.comment} for s, each in words.items()}
    return {student: each for student, each in held.items() if each}


def overridden(document: dict[str, Any], words: Words) -> dict[str, Any]:
    """The document with a person's marks. Marks for every criterion, or for the whole, make up for a missing score."""
    given = {criterion: word.marks for criterion, word in words.items() if word.marks is not None}
    if not given:
        return document
    criteria = [{**c, "points": float(given.get(c["id"], Fraction(str(c["points"]))))} for c in document["criteria"]]
    whole = given.get("")
    if whole is None and document["score"] is not None:
        moved = sum((Fraction(str(new["points"])) - Fraction(str(old["points"]))
                     for new, old in zip(criteria, document["criteria"], strict=True)), Fraction(0))  # fmt: skip
        whole = max(rounded(Fraction(str(document["score"])) + moved), Fraction(0))
    elif whole is None and criteria and all(c["id"] in given for c in criteria):
        whole = sum((given[c["id"]] for c in criteria), Fraction(0))
    if whole is None:
        return {**document, "criteria": criteria}
    return {**document, "criteria": criteria, "score": float(whole), "status": str(Status.GRADED)}


def _of(document: dict[str, Any], students: list[str]) -> dict[str, Any]:
    return {**document, "submission": {**document["submission"], "students": students}}


def frozen(document: dict[str, Any], standing: Standing) -> dict[str, Any]:
    """The document with the marks that were published."""
    criteria = [{**c, "points": float(standing.criteria.get(c["id"], Fraction(0)))} for c in document["criteria"]]
    score = None if standing.score is None else float(standing.score)
    return {**document, "criteria": criteria, "score": score, "status": str(standing.status)}


def standing_json(standing: Standing) -> str:
    """A row as text that `standing_from` reads."""
    return json.dumps(asdict(standing), default=str, ensure_ascii=False)


def standing_from(text: str) -> Standing:
    raw = json.loads(text)
    for name in ("max_score", "score", "machine", "late_penalty"):
        raw[name] = None if raw[name] is None else Fraction(raw[name])
    raw["criteria"] = {name: Fraction(value) for name, value in raw["criteria"].items()}
    return Standing(**{**raw, "status": Status(raw["status"]), "flags": tuple(raw["flags"])})
