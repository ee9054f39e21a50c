"""The command line as a whole. A command's file is imported when the line names it, or when all are listed."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.anywhere import options_first
from grader.cli.command import choice
from grader.cli.language import Language, default_language
from grader.cli.options import PATH
from grader.commands.setting import ENVIRONMENT, Ports, Setting, advice

_EPILOG = "Anywhere on the line: --course DIR, --reference DIR, --lang en|zh, --plain (no boxes, no colour)."
_FILE_OF: Final = {  # in the order of --help
    "list": "student",
    "check": "student",
    "hint": "student",
    "grade": "grading",
    "batch": "grading",
    "override": "marks",
    "publish": "marks",
    "regrade": "marks",
    "diff": "marks",
    "export": "classes",
    "forget": "classes",
    "purge": "classes",
    "merge": "classes",
    "validate": "author",
    "new": "author",
    "examples": "author",
    "notebooks": "author",
    "release": "author",
    "replay": "grading",
    "pack": "outside",
    "bundle": "outside",
    "gradescope": "outside",
    "doctor": "outside",
    "ci": "ci",
}


class Commands(click.Group):
    """Finds a command by its name, and the options of the whole line wherever they stand on it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, options_first(args))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_FILE_OF)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _FILE_OF:
            return None
        found: click.Command = getattr(import_module(f"grader.cli.{_FILE_OF[cmd_name]}"), f"{cmd_name}_command")
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _FILE_OF:
            ctx.fail(f"No such command {args[0]!r}{advice(args[0], self._shown(ctx))}")
        return super().resolve_command(ctx, args)

    def _shown(self, ctx: click.Context) -> list[str]:
        found = ((name, self.get_command(ctx, name)) for name in _FILE_OF)
        return [name for name, command in found if command is not None and not command.hidden]


@click.group(
    cls=Commands, help="Grades hand-written attention: in pieces, with reasons.", epilog=_EPILOG, no_args_is_help=True
)
@click.option("--course", metavar="DIR", type=PATH, help="The course's folder [default: found from here]")
@click.option(
    "--reference",
    metavar="DIR",
    type=PATH,
    help="The private reference [default: beside the course]",
)
@choice("--lang", of=Language, help="The language of texts (release: also 'all') [default: the locale's]")
@click.option("--plain", is_flag=True, help="Lines without boxes or colour, for screen readers")
@click.pass_context
def app(ctx: click.Context, course: Path | None, reference: Path | None, lang: Language | None, plain: bool) -> None:
    """What every command is given."""
    ctx.obj = Setting(
        ports=_ports(ctx.obj),
        folder=Path.cwd(),
        lang=_spoken(lang, ctx.invoked_subcommand),
        plain=plain,
        course_folder=course,
        reference=reference,
        environment={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
        lang_asked=lang in (Language.EN, Language.ZH),
    )


def _ports(given: Any) -> Ports:
    from grader.commands.ports import real_ports

    return given or real_ports()


def _spoken(lang: Language | None, command: str | None) -> str:
    if lang is Language.ALL and command != "release":
        raise click.BadParameter("'all' is for release; a text is in one language: en or zh", param_hint="--lang")
    return str(default_language(os.environ, sys.stdout.encoding) if lang in (None, Language.ALL) else lang)
