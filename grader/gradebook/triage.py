"""A class in groups: who made the same mistake, who failed in the same way, and what waits for a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from grader.gradebook.items import Items
from grader.gradebook.standings import ISOLATED
from grader.model.outcome import Outcome, Status
from grader.model.report import Standing

SCHEMA = "grader.triage/1"
_BINS = 10
# Flags that a person has to judge; the others say what was noticed, and cost nobody time.
_TO_JUDGE = frozenset({
    "forbidden_call", "file_access", "network", "process", "native_code", "snooping", "protocol", "not_on_roster",
    "name_of_another", "same_name",
})  # fmt: skip
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？])", re.DOTALL)
_WHOSE_TITLE = 200  # characters of a mistake's text that stand for it


class Triage:
    """Takes in one document after the other with the standings of its students; never holds a document."""

    def __init__(self, names: Mapping[str, str], *, pseudonyms: bool = False) -> None:
        """``names``: the report folder of each submission, which is all that is told of it under pseudonyms."""
        self._names, self._pseudonyms = names, pseudonyms
        self._items = Items()
        self._mistakes: dict[tuple[str, ...], dict[str, Any]] = {}
        self._failures: dict[tuple[tuple[str, tuple[str, ...]], ...], dict[str, Any]] = {}
        self._scores: list[float] = []
        self._facts: dict[str, Any] = {}
        self._quarantine: list[dict[str, Any]] = []
        self._rows: list[dict[str, Any]] = []

    def add(self, document: Mapping[str, Any], rows: Sequence[Standing]) -> None:
        """One submission."""
        shown = self._shown(document)
        self._items.add(document)
        self._scores += [float(score) for row in rows if (score := _mark(row)) is not None]
        self._facts = {key: document[key] for key in ("assignment", "title", "lang", "max_score")}
        # The same thing may be found in several functions of one submission; it is one student all the same.
        for faults, finding in {tuple(finding["faults"]): finding for finding in document["diagnosis"]}.items():
            group = self._mistakes.setdefault(faults, _group(text=_title(finding)))
            _join(group, shown, len(rows))
        if failed := _signature(document):
            _join(self._failures.setdefault(failed, _group()), shown, len(rows))
        if why := list(_reasons(document, rows)):
            self._quarantine.append({"submission": shown, "students": self._who(rows), "why": why})
        self._rows += (self._row(document, row, shown) for row in rows)

    def document(self) -> dict[str, Any]:
        """All of it as plain data, the largest groups first."""
        statuses = [row["status"] for row in self._rows]
        return {
            "schema": SCHEMA,
            **self._facts,
            "practice": any(row["practice"] for row in self._rows),
            "students": len(self._rows),
            "statuses": {
                status: statuses.count(status) for status in dict.fromkeys(map(str, Status)) if status in statuses
            },
            "scores": _distribution(self._scores, self._facts.get("max_score", 0.0)),
            "criteria": [_rounded(asdict(item)) | {"telling": item.telling} for item in self._items.items()],
            "mistakes": _largest_first({"faults": list(key), **group} for key, group in self._mistakes.items()),
            "failures": _largest_first(
                {"criteria": [{"id": name, "outcomes": list(how)} for name, how in key], **group}
                for key, group in self._failures.items()
            ),
            "quarantine": sorted(self._quarantine, key=lambda each: str(each["submission"])),
        }

    def rows(self) -> list[dict[str, Any]]:
        """A line a student, in the order of every table; under pseudonyms in theirs."""
        return sorted(self._rows, key=lambda row: (row["student_id"], row["submission"]))

    def _row(self, document: Mapping[str, Any], row: Standing, shown: str) -> dict[str, Any]:
        return {
            "student_id": shown if self._pseudonyms else row.student_id,
            "name": "" if self._pseudonyms else row.name,
            "submission": shown,
            "folder": self._names.get(row.submission, ""),
            "status": str(row.status),
            "score": _mark(row),
            "max_score": float(row.max_score),
            "late_penalty": float(row.late_penalty),
            "late_days": row.late_days,
            "overridden": row.overridden,
            "practice": document["isolation"]["level"] != ISOLATED and document["score"] is not None,
            "flags": list(row.flags),
            "mistakes": [finding["faults"] for finding in document["diagnosis"]],
        }

    def _shown(self, document: Mapping[str, Any]) -> str:
        name: str = document["submission"]["id"]
        return self._names.get(name, "-") if self._pseudonyms else name

    def _who(self, rows: Sequence[Standing]) -> list[str]:
        return [] if self._pseudonyms else [row.student_id for row in rows]


def _group(**facts: Any) -> dict[str, Any]:
    return {**facts, "students": 0, "submissions": []}


def _join(group: dict[str, Any], submission: str, students: int) -> None:
    group["students"] += students
    group["submissions"].append(submission)


def _largest_first(groups: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(groups, key=lambda group: -group["students"])


def _mark(row: Standing) -> float | None:
    """What counts; of practice, what the checks gave."""
    mark = row.machine if row.practice else row.score
    return None if mark is None else float(mark)


def _title(finding: Mapping[str, Any]) -> str:
    """The first sentence of a mistake's text: what was done. Of several mistakes the whole, as far as it is short."""
    text: str = finding["text"]
    if len(finding["faults"]) == 1 and (first := _SENTENCE.match(text)):
        return first[0].strip()
    return text if len(text) <= _WHOSE_TITLE else text[:_WHOSE_TITLE].rstrip() + " ..."


def _signature(document: Mapping[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The criteria that lost marks, and how their tests ended."""
    ended: dict[str, set[str]] = {c["id"]: set() for c in document["criteria"] if c["points"] < c["max_points"]}
    for test in document["tests"]:
        if test["criterion"] in ended and test["outcome"] != Outcome.PASSED:
            ended[test["criterion"]].add(test["outcome"])
    told = {name: how - {Outcome.BLOCKED} or how for name, how in ended.items()}
    return tuple((name, tuple(sorted(map(str, how)))) for name, how in told.items())


def _reasons(document: Mapping[str, Any], rows: Sequence[Standing]) -> Iterator[dict[str, str]]:
    """Why a person has to look; nothing where one did, or where nothing was handed in."""
    if all(row.overridden for row in rows) or document["status"] == Status.MISSING:
        return
    if document["status"] != Status.GRADED:
        yield {"kind": document["status"], "detail": document["reason"] or ""}
    for flag in document["flags"]:
        if flag["kind"] in _TO_JUDGE:
            yield {"kind": flag["kind"], "detail": flag["detail"]}
    if any(row.late_source == "late_mark" and not row.late_days for row in rows):
        yield {"kind": "late", "detail": next(row.late_note for row in rows if row.late_source == "late_mark")}


def _distribution(scores: Sequence[float], most: float) -> dict[str, Any]:
    bins = [0] * _BINS
    for score in scores:
        bins[min(int(score / most * _BINS), _BINS - 1) if most else 0] += 1
    return {
        "count": len(scores),
        "mean": round(sum(scores) / len(scores), 2) if scores else None,
        "median": round(median(scores), 2) if scores else None,
        "bins": [{"from": round(most * at / _BINS, 2), "to": round(most * (at + 1) / _BINS, 2), "count": count}
                 for at, count in enumerate(bins)],
    }  # fmt: skip


def _rounded(facts: dict[str, Any]) -> dict[str, Any]:
    return {key: round(value, 3) if isinstance(value, float) else value for key, value in facts.items()}
