"""What the author of a course calls. Each command is imported when it is called."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.command import AtLeast, Command, argument
from grader.cli.options import PATH
from grader.commands.exits import Exit
from grader.commands.setting import Setting

_assignments = argument("names", "Assignments [default: all]", metavar="[NAME]...", nargs=-1)


@click.command("validate", cls=Command)
@_assignments
@click.option("--fast", is_flag=True, help="Some seconds each: fewer seeds, no pairs, no names")
@click.option("--seeds", metavar="N", type=AtLeast(1), help="Seeds for right code [default: 20; fast: 2]")
@click.option("--right", metavar="DIR", type=PATH, help="More right submissions: DIR/<name>/right_*")
@click.option("--matrix", metavar="FILE", type=PATH, help="Write known mistakes by criteria as Markdown")
@click.option("--json", is_flag=True, help="The findings as JSON on stdout")
@click.pass_obj
def validate_command(
    setting: Setting,
    names: tuple[str, ...],
    fast: bool,
    seeds: int | None,
    right: Path | None,
    matrix: Path | None,
    json: bool,
) -> Exit:
    """Prove that an exercise grades fairly."""
    from grader.commands import validate

    return validate.run(setting, validate.Request(names, fast, seeds, json, right, matrix))


@click.command("new", cls=Command)
@argument("name", "A Python name", metavar="NAME")
@click.pass_obj
def new_command(setting: Setting, name: str) -> Exit:
    """Begin an assignment: a small exercise that validates, to be rewritten."""
    from grader.commands import new

    return new.run(setting, name)


@click.command("examples", cls=Command)
@_assignments
@click.option("--check", is_flag=True, help="Only say which stored examples no longer hold")
@click.pass_obj
def examples_command(setting: Setting, names: tuple[str, ...], check: bool) -> Exit:
    """Find the smallest call that shows each known mistake."""
    from grader.commands import examples

    return examples.run(setting, names, check)


@click.command("notebooks", cls=Command)
@click.option("--check", is_flag=True, help="Only say which are not what handout and stub give")
@click.pass_obj
def notebooks_command(setting: Setting, check: bool) -> Exit:
    """Write the assignments' notebooks from handout and stub."""
    from grader.commands import notebooks

    return notebooks.run(setting, check)


@click.command("release", cls=Command)
@argument("out", "A folder that is not there yet; OUT.zip comes beside it", metavar="OUT", type=PATH)
@click.pass_obj
def release_command(setting: Setting, out: Path) -> Exit:
    """Write the students' copy of the course, in every language (--lang all) or in one (--lang en)."""
    from grader.commands import release

    return release.run(setting, out)
