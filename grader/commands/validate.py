"""``grader validate``: does an exercise grade fairly?"""

from __future__ import annotations

import json
from collections.abc import Sequence

from grader.commands.console import STDOUT, note, say, write_document
from grader.commands.exits import Exit
from grader.commands.setting import Setting
from grader.reports.untrusted import printable
from grader.validate import Proof, ValidationReport


def run(setting: Setting, names: Sequence[str], seeds: int, *, as_json: bool) -> Exit:
    """Every claim and what speaks against it; code 0 only where all of them hold."""
    course = setting.course()
    note(f"proving {', '.join(names) or 'every assignment'} on {seeds} seeds")
    with setting.engine() as engine:
        report = setting.ports.validate(course, names, engine, seeds)
    if as_json:
        write_document(STDOUT, _as_json(report, setting.lang))
    else:
        for proof in report.proofs:
            _tell(proof, setting.lang)
    return Exit.DONE if report.holds else Exit.NOT_ENOUGH


def _tell(proof: Proof, lang: str) -> None:
    say(f"{'holds ' if proof.holds else 'FAILS '} {proof.assignment}: {proof.claim.pick(lang)}")
    for problem in proof.problems:
        say(f"         {printable(problem)}")


def _as_json(report: ValidationReport, lang: str) -> str:
    proofs = [
        {
            "assignment": proof.assignment,
            "claim": proof.claim.pick(lang),
            "holds": proof.holds,
            "problems": list(proof.problems),
        }
        for proof in report.proofs
    ]
    return json.dumps({"holds": report.holds, "proofs": proofs}, indent=1, ensure_ascii=False) + "\n"
