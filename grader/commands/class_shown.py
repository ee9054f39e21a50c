"""What a batch tells at its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.commands.class_late import held_facts, late_of, strangers, told_in_short
from grader.commands.class_out import ClassOut
from grader.commands.class_page import in_short
from grader.commands.class_run import MISSING
from grader.commands.console import columns, note, say
from grader.commands.exits import Exit, exit_for
from grader.commands.phrases import phrase
from grader.commands.setting import Setting
from grader.reports.class_words import class_word
from grader.reports.untrusted import one_line
from grader.reports.words import STATUSES, marks
from grader.store import Store


def show(setting: Setting, store: Store, out: Path, facts: Mapping[str, Any], *, part: bool) -> Exit:
    """A line a submission, what a person should know of the class, and where the files are. ``part``: of a class."""
    rows, statuses, practice = [], set(), False
    for document in handed_in_only(store):
        graded = document["score"] is not None
        score = f"{marks(document['score'])} / {marks(document['max_score'])}" if graded else "-"
        shown = _remarkable(document, setting.lang)
        taken = [line["penalty"] for line in document.get("late", []) if line["penalty"]]
        off = ", ".join(class_word("late_off", setting.lang, marks=marks(penalty)) for penalty in taken)
        rows.append((one_line(document["submission"]["id"], limit=40), f"{score} {off}".rstrip(), shown))
        statuses.add(document["status"])
        practice |= document["isolation"]["level"] != "isolated"
    for line in columns(rows):
        say(line)
    for line in in_short(facts, setting.lang):
        say(line)
    _note_lateness(store, part=part)
    if practice:
        note("practice: no isolation was proven, so these marks must not go into a gradebook (grader doctor says more)")
    say(f"{out / 'grades.csv'}")
    say(f"{out / 'index.html'}")
    say(f"{out / 'reports'}/")
    return exit_for(statuses)


def _note_lateness(store: Store, *, part: bool) -> None:
    late = late_of(held_facts(store), ())
    if late is None:
        return
    standings = ClassOut(store).standings()
    for line in () if part else strangers(late.term, (standing.student_id for standing in standings)):
        note(line)
    note(told_in_short(standings))


def handed_in_only(store: Store) -> Iterator[dict[str, Any]]:
    """The documents of what was handed in; who handed in nothing is left out."""
    absent = {each.submission for each in store.handed_in() if each.digest == MISSING}
    return (each for each in ClassOut(store).documents() if each["submission"]["id"] not in absent)


def _remarkable(document: Mapping[str, Any], lang: str) -> str:
    """The criteria that lost marks, or why there are none."""
    if document["score"] is None:
        return f"{STATUSES[document['status']].pick(lang)}: {one_line(document['reason'] or '', limit=100)}"
    lost = [c["id"] for c in document["criteria"] if c["points"] < c["max_points"]]
    nothing = len(lost) > 1 and not any(c["points"] for c in document["criteria"])
    return phrase("everything", lang) if nothing else " ".join(lost)
