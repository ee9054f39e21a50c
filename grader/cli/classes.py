"""A graded class as a whole: out of it, into it. Each command is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.cli.command import Command, argument
from grader.cli.options import PATH, graded_class, the_student
from grader.commands.exits import Exit
from grader.commands.setting import Setting


@click.command("export", cls=Command)
@graded_class
@argument("platform", "canvas, moodle, gradescope, blackboard, nbgrader, csv or excel", metavar="PLATFORM")
@click.option("--template", metavar="FILE", type=PATH, help="The platform's sheet, as downloaded")
@click.option("--output", "-o", "target", metavar="FILE", type=PATH, help="[default: exports/ of OUT]")
@click.option("--column", metavar="NAME", default="", help="The sheet's column [default: found by title]")
@click.option("--scale", is_flag=True, help="Turn marks into those of the sheet's maximum")
@click.option(
    "--feedback", metavar="FILE.zip", type=PATH, help="Write the students' reports as canvas, moodle take them"
)
@click.option("--dry-run", is_flag=True, help="Say what would change, write nothing")
@click.pass_obj
def export_command(setting: Setting, /, **given: Any) -> Exit:
    """Fill the platform's own sheet with the marks, by hand or published ones included."""
    from grader.commands import export

    return export.run(setting, export.Request(**given))


@click.command("forget", cls=Command)
@graded_class
@the_student
@click.pass_obj
def forget_command(setting: Setting, out: Path, student: str) -> Exit:
    """Remove every trace of a student from OUT."""
    from grader.commands import class_gone

    return class_gone.run_forget(setting, out, student)


@click.command("purge", cls=Command)
@graded_class
@click.option("--before", metavar="DATE", required=True, help="A day, such as 2026-09-30")
@click.pass_obj
def purge_command(setting: Setting, out: Path, before: str) -> Exit:
    """Remove every trace of the students last graded before a day."""
    from grader.commands import class_gone

    return class_gone.run_purge(setting, out, before)


@click.command("merge", cls=Command)
@argument("out", "A new folder", metavar="OUT", type=PATH)
@argument("parts", "What 'batch --shard' wrote", metavar="PART...", type=PATH, nargs=-1, required=True)
@click.pass_obj
def merge_command(setting: Setting, out: Path, parts: tuple[Path, ...]) -> Exit:
    """Put the parts of a class together."""
    from grader.commands import merge

    return merge.run(setting, out, parts)
