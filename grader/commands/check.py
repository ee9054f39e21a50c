"""``grader check``: a student's own run of the public checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.commands.console import note, say, show_report
from grader.commands.exits import Exit
from grader.commands.phrases import phrase
from grader.commands.setting import Setting
from grader.commands.work import Work, find_work
from grader.document import for_student
from grader.engines import Engine
from grader.model.course import PUBLIC_SEED, Assignment
from grader.model.outcome import Outcome, Status
from grader.model.submission import Job
from grader.reports.outline import place
from grader.reports.untrusted import one_line


def run(setting: Setting, target: str | None, named: str | None) -> Exit:
    """What the public checks saw, then what they do not cover. Passed only if all of them did."""
    with setting.own_engine() as engine:  # it warms up while the file is looked for
        work = find_work(setting.course(), setting.folder, target, named)
        note(phrase("checking", setting.lang, path=work.path))
        if work.other is not None and work.why:
            note(phrase(work.why, setting.lang, other=work.other))
        document = checked(engine, work, setting.lang)
    show(setting, work.assignment, document)
    if document["status"] == Status.GRADER_FAULT:
        return Exit.FAULT
    return Exit.DONE if passed(document) else Exit.NOT_ENOUGH


def checked(engine: Engine, work: Work, lang: str) -> dict[str, Any]:
    """The report of the public checks on a file, in the form for whoever wrote it."""
    path = work.path.resolve()
    job = Job(str(path), work.assignment.name, PUBLIC_SEED, lang, path.stem, public_only=True)
    staff = next(document for _, document in engine.map([job]))
    document = for_student(staff, feedback="public")
    document["reason"] = staff["reason"]  # the student's own run withholds nothing
    return document


def show(setting: Setting, assignment: Assignment, document: Mapping[str, Any]) -> None:
    """The report, and what it does not cover."""
    show_report(document, lang=setting.lang, plain=setting.plain)
    _coverage(setting.lang, assignment, document)


def passed(document: Mapping[str, Any]) -> bool:
    """Whether there were checks, and all of them passed."""
    tests = document["tests"]
    return document["status"] == Status.GRADED and bool(tests) and all(t["outcome"] == Outcome.PASSED for t in tests)


def _coverage(lang: str, assignment: Assignment, document: Mapping[str, Any]) -> None:
    touched = {test["criterion"] for test in document["tests"]}
    rest = [c.id for c in assignment.criteria if c.id not in touched]
    say()
    if not touched:
        say(phrase("no_checks", lang) if document["status"] == Status.GRADED else "")
    say(phrase("touch", lang, touched=len(assignment.criteria) - len(rest), all=len(assignment.criteria)))
    if rest and touched:
        say(phrase("untouched", lang, names=", ".join(rest)))
    if document["definitions"]:
        say(phrase("graded_lines", lang))
    for definition in document["definitions"]:
        say(f"  {_definition(lang, definition)}")
    if document["submission"]["fingerprint"]:
        say(phrase("fingerprint", lang, fingerprint=document["submission"]["fingerprint"]))


def _definition(lang: str, definition: Mapping[str, Any]) -> str:
    alias = definition["bound_as"] not in ("", definition["name"])
    key = "present_as" if definition["state"] == "present" and alias else definition["state"]
    spot = one_line(place(definition["place"], lang)) or "?"
    said = phrase(key, lang, name=definition["name"], place=spot, other=one_line(definition["bound_as"]))
    return f"{said}: {one_line(definition['note'])}" if definition["note"] else said
