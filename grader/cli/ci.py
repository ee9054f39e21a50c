"""Grading where a repository changes. Each command is imported when it is called."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.command import AtLeast, Command, argument, choice
from grader.cli.options import PATH, for_practice, late_policy, secret_seed, shown
from grader.commands.exits import Exit
from grader.commands.failures import exit_code_of
from grader.commands.setting import Setting
from grader.model.course import Audience

if TYPE_CHECKING:
    from grader.commands.ci_server import Server

_repository = argument("repository", "The student's repository", metavar="OWNER/NAME")
_number = argument("number", "The pull request", metavar="NUMBER", type=AtLeast(1))


class AsWritten(click.Group):
    """Lists its commands in the order in which they are written."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group("ci", cls=AsWritten, invoke_without_command=True)
@click.option("--repository", metavar="DIR", type=PATH, default=".", show_default=True, help="The student's repository")
@click.option("--base", metavar="REV", help="What it was [default: as the service]")
@click.option("--head", metavar="REV", help="What to grade [default: as the service]")
@click.option("--assignment", "-a", "names", metavar="NAME", multiple=True, help="This one, whether touched or not")
@click.option("--out", "-o", metavar="OUT", type=PATH, help="Takes the report files")
@click.option("--public", is_flag=True, help="The public checks alone; needs no reference")
@choice("--audience", of=Audience, default=Audience.STUDENT.value, show_default=True, help="Who reads the summary")
@shown
@click.option("--min-score", metavar="X", default="", help="Exit code 1 below X marks, or X% of them")
@secret_seed
@click.option("--student", metavar="ID", default="", help="Whose it is [default: the repository's name]")
@for_practice
@click.option("--pack", metavar="FILE", type=PATH, help="What 'grader pack' wrote, for reference/")
@click.option("--pack-digest", metavar="D", default="", help="sha256:...; another pack is refused")
@click.option("--change", metavar="FILE", type=PATH, help="What 'grader ci take' found")
@late_policy
@click.option("--ledger", metavar="FILE", type=PATH, help="Counts hidden runs by student and day")
@click.option("--handed-in", metavar="TIME", default="", help="When the push came, by the server's clock")
@click.pass_context
def ci_command(ctx: click.Context, /, **given: Any) -> Exit | None:
    """Grade what a change of a repository touches."""
    return None if ctx.invoked_subcommand else exit_code_of(partial(_grade, ctx.obj, given))


def _grade(setting: Setting, given: dict[str, Any]) -> Exit:
    from grader.commands import ci

    return ci.run(setting, ci.Request(environment=dict(os.environ), **given))


@ci_command.command("find", cls=Command)
@argument("listed", "The students' repositories, one a line", metavar="FILE", type=PATH)
@click.pass_obj
def find_command(setting: Setting, listed: Path) -> Exit:
    """Ask GitHub which pull requests are not graded yet (GITHUB_TOKEN: read only)."""
    from grader.commands import ci_server

    return ci_server.find(setting, _server(), listed, os.environ)


@ci_command.command("take", cls=Command)
@_repository
@_number
@click.option("--out", "-o", metavar="OUT", type=PATH, required=True, help="Takes change.json and repository.git")
@click.option("--head", metavar="SHA", help="This commit [default: the last one]")
@click.pass_obj
def take_command(setting: Setting, repository: str, number: int, out: Path, head: str | None) -> Exit:
    """Fetch a pull request as data, with the server's time of the push (GITHUB_TOKEN: read only)."""
    from grader.commands import ci_server

    return ci_server.take(setting, _server(), repository, number, head, out)


@ci_command.command("post", cls=Command)
@_repository
@_number
@argument("head", "The commit that was graded", metavar="SHA")
@click.option("--results", "out", metavar="OUT", type=PATH, required=True, help="What 'grader ci --out' wrote")
@click.option("--shared", is_flag=True, help="Others read this repository: show no mark")
@click.pass_obj
def post_command(setting: Setting, repository: str, number: int, head: str, out: Path, shared: bool) -> Exit:
    """Put the result on the pull request: one comment, kept up to date, and a check (GITHUB_TOKEN)."""
    from grader.commands import ci_server

    return ci_server.post(setting, _server(), (repository, number, head), out, shared=shared)


def _server() -> Server:
    from grader.commands.ci_server import Server

    return Server.of(os.environ, time.sleep)
