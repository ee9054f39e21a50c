"""Grading: one submission, a class, a report again. Each command is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.cli.command import Command, argument, choice
from grader.cli.options import (
    PATH,
    EngineKind,
    for_assignment,
    for_practice,
    late_policy,
    secret_seed,
    shown,
    side_by_side,
    spread,
)
from grader.commands.exits import Exit
from grader.commands.setting import Setting
from grader.model.course import Audience

_FORMS = ("json", "markdown", "html", "junit", "gradescope")


@click.command("grade", cls=Command)
@argument("submission", "A file, folder or notebook", metavar="SUBMISSION", type=PATH)
@for_assignment
@click.option("--json", metavar="FILE", type=PATH, help="Write the report as JSON ('-': stdout)")
@click.option("--markdown", metavar="FILE", type=PATH, help="... as Markdown")
@click.option("--html", metavar="FILE", type=PATH, help="... as HTML")
@click.option("--junit", metavar="FILE", type=PATH, help="... as JUnit XML")
@click.option("--gradescope", metavar="FILE", type=PATH, help="... as Gradescope's results.json")
@click.option("--notebook", metavar="FILE", type=PATH, help="... as HTML, over the graded notebook with marks in it")
@choice("--audience", of=Audience, default=Audience.STAFF.value, show_default=True, help="Who will read it")
@shown
@secret_seed
@click.option("--min-score", metavar="X", type=float, help="Exit code 1 below X marks")
@for_practice
@late_policy
@click.option("--handed-in", metavar="TIME", default="", help="When it came, such as 2026-03-01T23:59+08:00")
@click.pass_obj
def grade_command(setting: Setting, /, **given: Any) -> Exit:
    """Grade one submission."""
    from grader.commands import grade

    targets = {form: given.pop(form) for form in _FORMS}
    wanted = {form: target for form, target in targets.items() if target is not None}
    return grade.run(setting, grade.Request(targets=wanted, **given))


@click.command("batch", cls=Command)
@argument("drop", "A class: a folder or .zip, as the platform gave it", metavar="DROP", type=PATH)
@for_assignment
@click.option("--out", "-o", metavar="OUT", type=PATH, required=True, help="Takes grades.csv and reports/")
@click.option("--layout", metavar="L", default="", help="The platform [default: seen from names]")
@click.option("--pattern", metavar="REGEX", default="", help="Paths of any other layout: (?P<student_id>...)")
@click.option("--roster", metavar="FILE", type=PATH, help="The class as CSV")
@click.option("--map", "told", metavar="FILE", type=PATH, help="OUT/map.csv, filled in")
@shown
@secret_seed
@for_practice
@side_by_side
@spread
@click.option("--pseudonyms", is_flag=True, help="Reports without names; private/ of OUT holds the map")
@click.option("--shard", metavar="I/N", default="", help="One part of N, for 'merge'; needs --seed")
@late_policy
@click.option("--times", metavar="FILE", type=PATH, help="When each handed in: the platform's sheet as CSV")
@click.option("--pages", is_flag=True, help="Graded notebooks as HTML beside their reports")
@click.pass_obj
def batch_command(setting: Setting, /, engine: EngineKind, jobs: int, **given: Any) -> Exit:
    """Grade a class; the same command again grades only what is new or changed."""
    from grader.commands import batch

    count = None if engine is EngineKind.SERIAL else jobs
    return batch.run(setting, batch.Request(jobs=count, **given))


@click.command("replay", cls=Command)
@argument("report", "report.json, the staff form", metavar="REPORT", type=PATH)
@click.option("--submission", metavar="PATH", type=PATH, help="Where the submission is now [default: where it was]")
@click.pass_obj
def replay_command(setting: Setting, report: Path, submission: Path | None) -> Exit:
    """Rebuild the verdict of a report."""
    from grader.commands import replay

    return replay.run(setting, report, submission)
