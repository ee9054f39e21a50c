"""``grader replay``: a verdict rebuilt from its report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.commands.class_out import BY_PERSON
from grader.commands.console import note, say
from grader.commands.exits import Exit
from grader.commands.setting import Setting, assignment_named
from grader.document import clean, is_student_form, without_durations
from grader.errors import NotGradable, UsageError
from grader.model.course import Assignment
from grader.model.report import SCHEMA
from grader.model.submission import Job
from grader.reports.untrusted import one_line

_SHOWN = 10
# Flags from before anything ran.
_OF_THE_CLASS = frozenset(
    {"file_left_out", "late", "name_of_another", "not_on_roster", "odd_name", "same_name", "several_attempts"}
)
_APART = ("grader_version", "submission.origin", "late")  # may differ without the verdict doing so


def run(setting: Setting, report: Path, submission: Path | None) -> Exit:
    """Grade again with the report's seed and compare everything but durations: 0 the same, 1 not."""
    old = _read(setting.folder / report, report)
    assignment = assignment_named(setting.course(), old["assignment"])
    path = _submission(setting, old, submission)
    changed = _changed_files(setting, assignment, old, path)
    if changed:
        say(f"not replayed: {path} is not what was graded: {', '.join(changed)}")
        return Exit.NOT_ENOUGH
    if assignment.digest != old["assignment_digest"]:
        note(f"{assignment.name} has changed since this report: its checks, solution or marks are not the same")
    job = Job(str(path), assignment.name, old["seed"], old["lang"], old["submission"]["id"],
              tuple(old["submission"]["students"]))  # fmt: skip
    with setting.engine(practice=old["isolation"]["level"] != "isolated") as engine:
        new = next(document for _, document in engine.map([job]))
    return _compared(old, new)


def _read(path: Path, named: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise UsageError(f"cannot read {named}: {wrong.strerror or wrong}") from None
    except ValueError as wrong:
        raise UsageError(f"{named} is no JSON: {wrong}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise UsageError(f"{named} is no report of schema {SCHEMA}")
    if is_student_form(document):
        raise UsageError(f"{named} is the student's form; replay needs report.json, which holds the seed")
    return document


def _submission(setting: Setting, old: Mapping[str, Any], given: Path | None) -> Path:
    if given is not None:
        path, named = setting.folder / given, str(given)
    else:
        named = str(old["submission"].get("origin", ""))
        path = _on_disk(setting.folder / named)
    if not named or not path.exists():
        raise UsageError(f"the submission is no longer at {named or '?'}; say where: --submission PATH")
    return path.resolve()


def _on_disk(path: Path) -> Path:
    """The path, or the only one beside it that reads like it: a name may hold bytes that a report cannot."""
    if path.exists() or "\ufffd" not in path.name or not path.parent.is_dir():
        return path
    alike = [each for each in path.parent.iterdir() if clean(each.name) == path.name]
    return alike[0] if len(alike) == 1 else path


def _changed_files(setting: Setting, assignment: Assignment, old: Mapping[str, Any], path: Path) -> list[str]:
    """What differs between the files named in the report and those at ``path``."""
    try:
        found = setting.ports.load_submission(path, assignment, old["submission"]["id"], ())
    except NotGradable:
        now: dict[str, str] = {}
    else:
        now = {file.path: file.sha256 for file in found.files}
    then = {file["path"]: file["sha256"] for file in old["submission"]["files"]}
    return [one_line(name) for name in sorted(then.keys() | now.keys()) if then.get(name) != now.get(name)]


def _compared(old: dict[str, Any], new: dict[str, Any]) -> Exit:
    if old["grader_version"] != new["grader_version"]:
        note(f"graded then by version {one_line(old['grader_version'])}, now by {new['grader_version']}")
    found = [line for where, line in differences(*_alike(without_durations(old), without_durations(new)))
             if where not in _APART]  # fmt: skip
    if not found:
        say(f"the same verdict: {one_line(old['submission']['id'])} {old['status']} {old['score']}")
        return Exit.DONE
    say(f"{len(found)} differences between the report and what grading gives now:")
    for line in found[:_SHOWN]:
        say(f"  {line}")
    return Exit.NOT_ENOUGH


def _alike(old: dict[str, Any], new: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both without what a batch knows besides the verdict: what was seen of the whole class, and a person's words."""
    texts = [remark["text"] for remark in old["remarks"]]
    by_person = next((at for at, text in enumerate(texts) if text == BY_PERSON.pick(old["lang"])), len(texts))
    flags = [flag for flag in old["flags"] if flag in new["flags"] or flag["kind"] not in _OF_THE_CLASS]
    kept = {**old, "remarks": old["remarks"][:by_person], "flags": flags}
    if all(finding["score_if_mended"] is None for finding in old["diagnosis"]):  # marks of another rubric
        new = {**new, "diagnosis": [{**finding, "score_if_mended": None} for finding in new["diagnosis"]]}
    return kept, new


def differences(old: Any, new: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Each place where two documents differ, with what stood there and what stands there now."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            inner = f"{where}.{key}" if where else key
            if key in old and key in new:
                yield from differences(old[key], new[key], inner)
            else:
                yield inner, f"{inner}: only in the {'report' if key in old else 'new grading'}"
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, after, f"{where}[{i}]")
    elif old != new:
        yield where, f"{where}: {one_line(repr(old), limit=80)} -> {one_line(repr(new), limit=80)}"
