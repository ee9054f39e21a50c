"""``grader gradescope``: what the bundle's script calls on the platform, for one submission."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.commands.bundle_facts import Bundle, read_bundle
from grader.commands.console import note, say, write_atomically
from grader.commands.exits import Exit, exit_for
from grader.commands.setting import Setting
from grader.document import for_student
from grader.errors import GraderError
from grader.model.course import PUBLIC_SEED
from grader.model.submission import Job
from grader.platforms.gradescope.metadata import Facts, read_facts
from grader.reports import markdown
from grader.reports.gradescope import dump, failed, results

_METADATA_LIMIT = 50_000_000  # bytes


def run(setting: Setting, root: Path) -> Exit:
    """Grade ``root/submission`` and write ``root/results/results.json``: always one the platform can take."""
    root = (setting.folder / root).resolve()
    facts = _facts(root)
    bundle = read_bundle(root)
    try:
        staff, public = _graded(setting, root, bundle, facts)
        found = _results(staff, public, bundle, facts)
        code = exit_for([staff["status"]])
        say(markdown.render(staff, lang=bundle.lang))  # stdout is staff's alone
    except Exception as wrong:  # the platform has to be told something: ours, never the student's zero
        note(f"grader: {wrong}" if isinstance(wrong, GraderError) else _trace())
        found, code = failed(lang=bundle.lang, score_before=facts.score_before, extra=_extra(facts)), Exit.FAULT
    write_atomically(root / "results" / "results.json", dump(found).encode())
    return Exit.FAULT if code is Exit.FAULT else Exit.DONE


def _graded(setting: Setting, root: Path, bundle: Bundle, facts: Facts) -> tuple[dict[str, Any], dict[str, Any]]:
    """The staff form of the hidden checks and, where nothing else may be shown yet, of the public ones."""
    course = root / "source" / "course"
    setting = replace(setting, course_folder=course, reference=course / "reference", lang=bundle.lang)
    name = facts.submission_id or "submission"
    job = Job(str(root / "submission"), bundle.assignment, bundle.seed, bundle.lang, name, facts.people)
    jobs = [job]
    if bundle.before == "public":
        jobs.append(replace(job, seed=PUBLIC_SEED, public_only=True))
    with setting.engine() as engine:
        documents = [document for _, document in engine.map(jobs)]
    return documents[0], documents[-1]


def _results(staff: dict[str, Any], public: dict[str, Any], bundle: Bundle, facts: Facts) -> dict[str, Any]:
    now = for_student(public, feedback=bundle.before)
    if bundle.before == "public":
        now["reason"] = public["reason"]
    later = for_student(staff, feedback="criteria" if bundle.after == "public" else bundle.after)
    return results(
        now, later, lang=bundle.lang, late_days=facts.late_days, score_before=facts.score_before,
        extra=_extra(facts) | {"fingerprint": staff["submission"]["fingerprint"]},
    )  # fmt: skip


def _extra(facts: Facts) -> dict[str, Any]:
    handed_in = facts.handed_in.isoformat() if facts.handed_in else None
    return {"members": list(facts.people), "handed_in": handed_in, "late_days": facts.late_days}


def _facts(root: Path) -> Facts:
    try:
        with (root / "submission_metadata.json").open("rb") as file:
            return read_facts(file.read(_METADATA_LIMIT))
    except OSError as wrong:
        note(f"no submission_metadata.json: {wrong.strerror}")
        return Facts()


def _trace() -> str:
    import traceback

    return traceback.format_exc()
