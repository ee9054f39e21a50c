"""``index.html`` and ``triage.json``: the class at a glance, and what of it needs a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from grader.commands.class_out import ClassOut
from grader.gradebook.triage import Triage
from grader.reports import class_page
from grader.reports.class_words import class_word
from grader.reports.untrusted import one_line

_SHOWN = 5


def pages_of(
    found: ClassOut, folders: Mapping[str, str], lang: str, *, pseudonyms: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The facts of ``triage.json``, and each file's name and text."""
    triage = Triage(folders, pseudonyms=pseudonyms)
    for document, rows in found.with_rows():
        triage.add(document, rows)
    facts = triage.document()
    return facts, {
        "triage.json": json.dumps(facts, indent=1, ensure_ascii=False) + "\n",
        "index.html": class_page.render(facts, triage.rows(), lang=lang),
    }


def in_short(facts: Mapping[str, Any], lang: str) -> Iterator[str]:
    """The end of a batch: mistakes that several made, what nobody holds, and who waits for a person."""
    shared = [each for each in facts["mistakes"] if each["students"] > 1]
    if shared:
        yield class_word("end_mistakes", lang)
    width = len(str(shared[0]["students"])) if shared else 0
    for each in shared[:_SHOWN]:
        yield f"  {each['students']:>{width}}  {one_line(each['text'], limit=200)}"
    if len(shared) > _SHOWN:
        yield "  " + class_word("end_more", lang, count=len(shared) - _SHOWN)
    if nobody := [one_line(item["id"]) for item in facts["criteria"] if item["telling"] == "none" and item["of"] > 1]:
        yield class_word("end_none", lang, names=", ".join(nobody))
    if waiting := [one_line(each["submission"], limit=40) for each in facts["quarantine"]]:
        names = ", ".join(waiting[:_SHOWN]) + (" ..." if len(waiting) > _SHOWN else "")
        yield class_word("end_waiting", lang, count=len(waiting), names=names)
