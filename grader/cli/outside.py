"""Grading on machines of others, and what this one can do. Each command is imported when it is called."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import click

from grader.cli.command import Command, OneOf, argument
from grader.cli.options import PATH, Feedback, secret_seed, shown, the_assignment
from grader.commands.exits import Exit
from grader.commands.setting import Setting


class Platform(StrEnum):
    """A platform that grades by itself."""

    GRADESCOPE = "gradescope"


@click.command("pack", cls=Command)
@click.option("--out", "-o", metavar="FILE", type=PATH, required=True, help="The pack, for 'grader ci --pack'")
@click.pass_obj
def pack_command(setting: Setting, out: Path) -> Exit:
    """Put the private reference into one file and print its digest."""
    from grader.commands import pack

    return pack.run(setting, out)


@click.command("bundle", cls=Command)
@argument("platform", "The platform", metavar="PLATFORM", type=OneOf(Platform))
@the_assignment
@click.option("--out", "-o", metavar="FILE", type=PATH, required=True, help="autograder.zip; it holds the reference")
@secret_seed
@shown
@click.option("--wheels", metavar="DIR", type=PATH, help="Packages to travel with it: no network")
@click.pass_obj
def bundle_command(
    setting: Setting,
    platform: Platform,
    name: str,
    out: Path,
    seed: int | None,
    feedback: Feedback | None,
    wheels: Path | None,
) -> Exit:
    """Write the archive with which a platform grades an assignment by itself."""
    from grader.commands import bundle

    return bundle.run(setting, bundle.Request(name, out, seed, feedback, wheels))


@click.command("gradescope", cls=Command, hidden=True)
@click.option("--root", metavar="DIR", type=PATH, required=True, help="The platform's folder, above source/")
@click.pass_obj
def gradescope_command(setting: Setting, root: Path) -> Exit:
    """Grade one submission on the platform; the bundle's script calls this."""
    from grader.commands import gradescope

    return gradescope.run(setting, root)


@click.command("doctor", cls=Command)
@click.pass_obj
def doctor_command(setting: Setting) -> Exit:
    """What this machine can enforce, and what to do about what it cannot."""
    from grader.commands import doctor

    return doctor.run(setting)
