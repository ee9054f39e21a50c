"""What a student calls. Each command is imported when it is called."""

from __future__ import annotations

import click

from grader.cli.command import Command, argument
from grader.cli.options import the_assignment
from grader.commands.exits import Exit
from grader.commands.setting import Setting


@click.command("list", cls=Command)
@click.pass_obj
def list_command(setting: Setting) -> Exit:
    """The course: assignments, marks, state."""
    from grader.commands import course_list

    return course_list.run(setting)


@click.command("check", cls=Command)
@argument("target", "An assignment or a file", metavar="[NAME or FILE]", required=False)
@click.option("--assignment", "-a", metavar="NAME", help="What a file of another name answers")
@click.option("--watch", is_flag=True, help="Again with every save, until Ctrl-C")
@click.pass_obj
def check_command(setting: Setting, target: str | None, assignment: str | None, watch: bool) -> Exit:
    """Your own run of the public checks."""
    if watch:
        from grader.commands import watch as watching

        return watching.run(setting, target, assignment)
    from grader.commands import check

    return check.run(setting, target, assignment)


@click.command("hint", cls=Command)
@the_assignment
@argument("criterion", "A line of the rubric [default: lists them]", metavar="[CRITERION]", required=False)
@click.option(
    "--step",
    metavar="N",
    type=int,
    default=1,
    show_default=True,
    help="1: a nudge, 2: where to look, 3: nearly there",
)
@click.pass_obj
def hint_command(setting: Setting, name: str, criterion: str | None, step: int) -> Exit:
    """A hint, one step at a time."""
    from grader.commands import hint

    return hint.run(setting, name, criterion, step)
