"""A class as one page: no script, no request to anywhere, nothing of a student's text is markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from grader.model.outcome import Status
from grader.reports.class_words import class_word, words
from grader.reports.html import look, template, tongue
from grader.reports.untrusted import one_line
from grader.reports.words import OUTCOMES, STATUSES, WORDS, marks

_GROUPS = 20
_WAITING = 200
_NAMES = 12  # of one group
_HUMAN = (Status.NEEDS_MARKING, Status.NOT_GRADABLE, Status.GRADER_FAULT)


def render(triage: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], *, lang: str) -> str:
    """The page of a triage (schema ``grader.triage/1``) and a line a student."""
    folders = {row["submission"]: row["folder"] for row in rows}
    titles = {item["id"]: one_line(item["title"]) for item in triage["criteria"]}
    return template("class.html").render(
        tongue=tongue(lang),
        css=look(),
        w=words(lang),
        title=one_line(triage.get("title") or triage.get("assignment") or ""),
        practice=WORDS["practice"].pick(lang) if triage["practice"] else "",
        tiles=_tiles(triage, lang),
        quarantine=[_waiting(each, folders, lang) for each in triage["quarantine"][:_WAITING]],
        waiting_left=max(len(triage["quarantine"]) - _WAITING, 0),
        bars=_bars(triage["scores"]["bins"], lang),
        mistakes=[_group(each, folders) | {"text": one_line(each["text"])} for each in triage["mistakes"][:_GROUPS]],
        failures=[
            _group(each, folders) | {"text": _ways(each["criteria"], titles, lang)}
            for each in triage["failures"][:_GROUPS]
        ],
        criteria=[_item(item, lang) for item in triage["criteria"]],
        rows=[_row(row, lang) for row in rows],
        named=any(row["name"] for row in rows),
        late=any(row["late_days"] for row in rows),
    )


def _tiles(triage: Mapping[str, Any], lang: str) -> list[dict[str, str]]:
    scores, statuses = triage["scores"], triage["statuses"]
    most = class_word("of", lang, most=marks(triage.get("max_score", 0)))
    tiles = [
        (str(triage["students"]), class_word("students", lang)),
        (str(statuses.get(Status.GRADED, 0)), class_word("graded", lang)),
        (_mark(scores["mean"]), f"{class_word('mean', lang)} {most}"),
        (_mark(scores["median"]), class_word("median", lang)),
        (str(len(triage["quarantine"])), class_word("waiting", lang)),
        (str(statuses.get(Status.MISSING, 0)), class_word("absent", lang)),
    ]
    return [{"value": value, "label": label} for value, label in tiles]


def _mark(value: float | None) -> str:
    return "-" if value is None else marks(value)


def _waiting(each: Mapping[str, Any], folders: Mapping[str, str], lang: str) -> dict[str, Any]:
    kinds = {str(status): STATUSES[status].pick(lang) for status in _HUMAN}
    why = [{"kind": one_line(kinds.get(w["kind"], w["kind"])), "detail": one_line(w["detail"], limit=300)}
           for w in each["why"]]  # fmt: skip
    return {**_link(each["submission"], folders), "why": why}


def _link(submission: str, folders: Mapping[str, str]) -> dict[str, str]:
    folder = folders.get(submission, "")
    return {"name": one_line(submission, limit=120), "href": f"reports/{quote(folder)}/staff.html" if folder else ""}


def _bars(bins: Sequence[Mapping[str, Any]], lang: str) -> list[dict[str, Any]]:
    most = max((each["count"] for each in bins), default=0) or 1
    return [
        {
            "count": each["count"],
            "height": round(100 * each["count"] / most, 1),
            "low": marks(each["from"]),
            "said": class_word("bar", lang, count=each["count"], low=marks(each["from"]), high=marks(each["to"])),
        }
        for each in bins
    ]


def _group(each: Mapping[str, Any], folders: Mapping[str, str]) -> dict[str, Any]:
    shown = [_link(name, folders) for name in each["submissions"][:_NAMES]]
    return {"count": each["students"], "links": shown, "left": len(each["submissions"]) - len(shown)}


def _ways(criteria: Sequence[Mapping[str, Any]], titles: Mapping[str, str], lang: str) -> list[dict[str, str]]:
    return [
        {"id": one_line(each["id"]), "title": titles.get(each["id"], ""),
         "how": ", ".join(OUTCOMES[outcome].pick(lang) for outcome in each["outcomes"])}
        for each in criteria
    ]  # fmt: skip


def _item(item: Mapping[str, Any], lang: str) -> dict[str, Any]:
    said = {"all": "all_hold", "none": "none_hold", "weak": "weak"}.get(item["telling"])
    return {
        "id": one_line(item["id"]),
        "title": one_line(item["title"]),
        "full": item["full"],
        "none": item["nothing"],
        "of": item["of"],
        "share": round(100 * item["share"]),
        "discrimination": "" if item["discrimination"] is None else f"{item['discrimination']:.2f}",
        "said": class_word(said, lang) if said else "",
        "bad": item["telling"] in ("none", "weak"),
    }


def _row(row: Mapping[str, Any], lang: str) -> dict[str, Any]:
    graded = row["score"] is not None
    late = class_word("late_by", lang, days=row["late_days"], penalty=marks(row["late_penalty"]))
    noticed = [one_line(kind) for kind in row["flags"]]
    folder = quote(row["folder"])
    return {
        "who": one_line(row["student_id"], limit=120),
        "name": one_line(row["name"], limit=120),
        "mark": f"{marks(row['score'])} / {marks(row['max_score'])}" if graded else "",
        "share": row["score"] / row["max_score"] if graded and row["max_score"] else 0,
        "status": "" if graded and row["status"] == Status.GRADED else STATUSES[row["status"]].pick(lang),
        "late": late if row["late_days"] else "",
        "noticed": [class_word("by_person", lang)] * row["overridden"] + noticed,
        "mistakes": [" + ".join(map(one_line, faults)) for faults in row["mistakes"]],
        "staff": f"reports/{folder}/staff.html" if folder else "",
        "student": f"reports/{folder}/report.html" if folder else "",
    }
