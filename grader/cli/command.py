"""What a command of the line is: its arguments are explained like its options, and it ends with an exit code."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.commands.exits import Exit
from grader.commands.failures import exit_code_of

_F = TypeVar("_F", bound=Callable[..., Any])


class Argument(click.Argument):
    """An argument with a line of help."""

    def __init__(self, *args: Any, says: str = "", **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.says = says

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        rules = [f"x>={self.type.min}"] if isinstance(self.type, click.IntRange) else []
        rules += [self.type.metavar] if isinstance(self.type, OneOf) else []
        rules += ["required"] if self.required else []
        ruled = f"[{'; '.join(rules)}]" if rules else ""
        return self.human_readable_name, f"{self.says}  {ruled}".strip()


class Command(click.Command):
    """Gives the exit code of what it does, whatever happens."""

    def invoke(self, ctx: click.Context) -> Exit:
        return exit_code_of(partial(super().invoke, ctx))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        params = self.get_params(ctx)
        for title, kind in (("Arguments", click.Argument), ("Options", click.Option)):
            records = [param.get_help_record(ctx) for param in params if isinstance(param, kind)]
            if lines := [record for record in records if record is not None]:
                with formatter.section(title):
                    formatter.write_dl(lines)

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Nothing more: they stand before the options."""


if TYPE_CHECKING:
    _Kind = click.ParamType[StrEnum]
else:
    _Kind = click.ParamType  # not generic before click 8.4


class AtLeast(click.IntRange):
    """A whole number, from ``least`` on."""

    name = "integer"

    def __init__(self, least: int) -> None:
        super().__init__(min=least)


class OneOf(_Kind):
    """The values of an enum, spelt as they are."""

    name = "choice"

    def __init__(self, kind: type[StrEnum]) -> None:
        self._kind = kind
        self.metavar = f"<{'|'.join(kind)}>"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"Choose from: {', '.join(self._kind)}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> StrEnum:
        try:
            return self._kind(value)
        except ValueError:
            known = ", ".join(repr(str(member)) for member in self._kind)
            self.fail(f"{value!r} is not one of {known}.", param, ctx)


def argument(name: str, says: str = "", **rest: Any) -> Callable[[_F], _F]:
    """An argument, explained."""
    return click.argument(name, cls=Argument, says=says, **rest)


def choice(*names: str, of: type[StrEnum], **rest: Any) -> Callable[[_F], _F]:
    """An option that takes one of the values of an enum, all of them in its help."""
    values = OneOf(of)
    return click.option(*names, type=values, metavar=values.metavar, **rest)
