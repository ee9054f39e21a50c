"""The marks of a graded class, by hand and again. Each command is imported when it is called."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.command import Command, argument
from grader.cli.options import PATH, EngineKind, graded_class, side_by_side, spread, the_student
from grader.commands.exits import Exit
from grader.commands.setting import Setting


@click.command("override", cls=Command)
@graded_class
@the_student
@click.option("--why", metavar="TEXT", required=True, help="The reason; it stands beside the mark")
@click.option("--score", metavar="X", help="The mark of the whole, as it shall stand")
@click.option("--criterion", metavar="ID=X", multiple=True, help="The mark of one line")
@click.option("--comment", metavar="TEXT", default="", help="A word to the student")
@click.option("--clear", is_flag=True, help="Withdraw what was given before")
@click.option("--who", metavar="NAME", help="Who decides [default: the user]")
@click.pass_obj
def override_command(
    setting: Setting,
    out: Path,
    student: str,
    why: str,
    score: str | None,
    criterion: tuple[str, ...],
    comment: str,
    clear: bool,
    who: str | None,
) -> Exit:
    """Set a mark by hand, beside the machine's."""
    from grader.commands import class_people

    words = class_people.read_words(setting.folder / out, score, criterion, clear, why, who, comment)
    return class_people.run_override(setting, out, student, words)


@click.command("publish", cls=Command)
@graded_class
@click.pass_obj
def publish_command(setting: Setting, out: Path) -> Exit:
    """Freeze the marks: only 'regrade' moves them from then on."""
    from grader.commands import class_people

    return class_people.run_publish(setting, out)


@click.command("regrade", cls=Command)
@graded_class
@click.option("--drop", metavar="DROP", type=PATH, help="Where the class is now")
@click.option("--allow-lower", is_flag=True, help="Published marks may fall")
@side_by_side
@spread
@click.pass_obj
def regrade_command(
    setting: Setting, out: Path, drop: Path | None, allow_lower: bool, jobs: int, engine: EngineKind
) -> Exit:
    """Grade again what a change touches; says who moved, by how much and why."""
    from grader.commands import class_people

    count = None if engine is EngineKind.SERIAL else jobs
    return class_people.run_regrade(setting, out, drop, allow_lower, count)


@click.command("diff", cls=Command)
@argument("first", metavar="OUT_A", type=PATH)
@argument("second", metavar="OUT_B", type=PATH)
@click.pass_obj
def diff_command(setting: Setting, first: Path, second: Path) -> Exit:
    """Who stands differently in two graded classes, and why."""
    from grader.commands import class_people

    return class_people.run_diff(setting, first, second)
