"""``override``, ``publish``, ``regrade``, ``diff``: what people do with a graded class."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from grader.commands import batch
from grader.commands.class_late import NOBODY
from grader.commands.class_notebooks import write_pages
from grader.commands.class_out import ClassOut
from grader.commands.class_run import now
from grader.commands.console import note, say
from grader.commands.exits import Exit
from grader.commands.movements import Movements, moves, outcomes_of, publish, tell
from grader.commands.setting import Setting, advice
from grader.errors import UsageError
from grader.model.outcome import Status
from grader.model.report import Standing
from grader.reports.untrusted import one_line
from grader.reports.words import marks
from grader.store import Override, Store, open_store, rubric_from


def request_of(store: Store, out: Path) -> batch.Request:
    """What the class was last graded with. Raises ``UsageError`` where no run was ever finished."""
    noted = store.fact("request")
    if noted is None:
        raise UsageError(f"no run in {out} was ever finished; run 'grader batch' again first")
    return replace(batch.Request.from_json(noted), out=out)


def students_named(store: Store, name: str) -> list[str]:
    """The student of that id, or every student of the submission of that id. Raises ``UsageError``."""
    seats = store.seats()
    found = [s.student_id for s in seats if s.student_id == name] or [
        s.student_id for s in seats if s.submission == name
    ]
    if not found:
        raise UsageError(f"there is no student {name!r}{advice(name, [seat.student_id for seat in seats][:2000])}")
    return list(dict.fromkeys(found))


def run_override(setting: Setting, out: Path, student: str, given: Sequence[Override]) -> Exit:
    """Put a person's word beside the machine's marks; ``given`` lacks the student's id and the time."""
    folder = setting.folder / out
    with open_store(folder) as store:
        request = request_of(store, folder.resolve())
        for name in students_named(store, student):
            for word in given:
                store.override(replace(word, student_id=name, at=now()))
            if any(each.student_id == name for each in store.published()):
                note(f"{one_line(name)} is published: 'grader regrade {out}' makes it count")
        batch.write_class(store, request, _feedback(setting, request))
        if request.pages:
            theirs = {s.submission for s in store.seats() if s.student_id in students_named(store, student)}
            write_pages(setting, store, request.out, pseudonyms=request.pseudonyms, only=theirs)
        for standing in ClassOut(store).standings():
            if standing.student_id in students_named(store, student):
                _say(standing)
    return Exit.DONE


def read_words(out: Path, score: str | None, criteria: Sequence[str], clear: bool, why: str, who: str | None,
               comment: str) -> list[Override]:  # fmt: skip
    """What was typed, checked against the rubric. Raises ``UsageError``."""
    if not why.strip():
        raise UsageError("--why TEXT: say why; it stands beside the mark for good")
    with open_store(out) as store:
        rubric = store.fact("rubric")
        lines = {c.id: c.marks for c in rubric_from(rubric).criteria} if rubric else {}
        held = [o for o in store.overrides() if o.marks is not None]
    whole = sum(lines.values(), Fraction(0))
    person = who or getpass.getuser()
    words = [Override("", name, None, why, person, "") for name in dict.fromkeys(o.criterion for o in held) if clear]
    if score is not None:
        words.append(Override("", "", _marks("--score", score, whole), why, person, "", comment))
    for text in criteria:
        name, _, value = text.partition("=")
        if name not in lines:
            raise UsageError(f"--criterion {text}: there is no criterion {name!r}{advice(name, list(lines))}")
        words.append(Override("", name, _marks(f"--criterion {name}", value, lines[name]), why, person, "", comment))
    if not words and not clear and not comment:
        raise UsageError("nothing to change: give --score X, --criterion ID=X, --comment TEXT or --clear")
    if not any(word.comment for word in words) and comment:
        words.append(Override("", "comment", None, why, person, "", comment))
    return words


def _marks(option: str, text: str, most: Fraction) -> Fraction:
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"{option} {text}: that is no number") from None
    if not 0 <= value <= most or (value * 100).denominator != 1:
        raise UsageError(f"{option} {text}: marks are from 0 to {marks(float(most))}, to 0.01")
    return value


def run_publish(setting: Setting, out: Path) -> Exit:
    """Freeze what has a mark; what has none stays open and can be graded and published later."""
    folder = setting.folder / out
    with open_store(folder) as store:
        request_of(store, folder)
        shown = ClassOut(store)
        standings = shown.standings()
        if any(standing.practice for standing in standings):
            raise UsageError("these marks were made for practice, without proof of isolation; they cannot be published")
        held = {(each.submission, each.student_id) for each in store.published()}
        ready = [s for s in standings if s.status is Status.GRADED and s.score is not None]
        fresh = [s for s in ready if (s.submission, s.student_id) not in held]
        with store.transaction():
            publish(store, fresh, shown)
    say(f"published {len(fresh)} more, {len(ready)} in all; only 'grader regrade {out}' moves them now")
    if late := sum(1 for standing in fresh if standing.late_penalty):
        say(f"{late} of them with marks off for lateness")
    if len(standings) > len(ready):
        say(f"{len(standings) - len(ready)} have no mark yet and are not published")
    return Exit.DONE


def run_regrade(setting: Setting, out: Path, drop: Path | None, allow_lower: bool, jobs: int | None) -> Exit:
    """Grade anew what a change touches, tell who moved and why, and let published marks move."""
    folder = (setting.folder / out).resolve()
    with open_store(folder) as store:
        request = request_of(store, folder)
        lang = store.fact("lang") or setting.lang
    place = request.drop if drop is None else setting.folder / drop
    if not place.exists():
        raise UsageError(f"the drop is no longer at {place}; say where it is: grader regrade {out} --drop PATH")
    if request.shard:
        raise UsageError(f"{out} is one part of a class; merge the parts and regrade the whole")
    if request.term is not None and request.term != NOBODY and not request.term.is_file():
        request = replace(request, term=None)  # the store holds what it said
    if request.times is not None and not request.times.is_file():
        request = replace(request, times=None)  # likewise
    return batch.run(replace(setting, lang=lang), replace(request, drop=place, jobs=jobs), Movements(allow_lower))


def run_diff(setting: Setting, first: Path, second: Path) -> Exit:
    """Who stands differently in two classes, and why. 1 where anybody does."""
    rows, outcomes = [], []
    for out in (first, second):
        with open_store(setting.folder / out) as store:
            request_of(store, out)
            shown = ClassOut(store)
            rows.append(shown.standings())
            outcomes.append({d["submission"]["id"]: outcomes_of(d) for d in shown.documents()})
    moved = list(moves(*rows))
    tell(moved, *outcomes)
    return Exit.NOT_ENOUGH if moved else Exit.DONE


def _feedback(setting: Setting, request: batch.Request) -> str:
    return request.feedback or setting.course().before_deadline


def _say(standing: Standing) -> None:
    score = "-" if standing.score is None else marks(float(standing.score))
    machine = "-" if standing.machine is None else marks(float(standing.machine))
    who = one_line(standing.student_id, limit=40)
    say(f"{who}: {score} / {marks(float(standing.max_score))} (the checks gave {machine})")
