"""How the line is read: which file holds a command, what a wrong word is told, and what is imported for it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest

from grader.cli import app, main
from grader.commands import batch, ci, export, grade

ROOT = Path(__file__).parent.parent
LINE = click.Context(app)
NAMES = app.list_commands(LINE)


def command(name: str) -> click.Command:
    found = app.get_command(LINE, name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_listed_command_is_found_under_its_name_and_says_what_it_does(name: str) -> None:
    assert command(name).name == name
    assert command(name).get_short_help_str()


@pytest.mark.parametrize("name", NAMES)
def test_every_option_and_argument_is_explained_once(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    for param in command(name).params:
        assert shown.count(f"{param.opts[0]} " if isinstance(param, click.Option) else f"\n  {param.metavar} ") == 1


def test_the_hidden_command_is_not_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listed = [
        line.split()[0]
        for line in capsys.readouterr().out.partition("Commands:")[2].splitlines()
        if line[2:3].isalpha()
    ]
    assert [name for name in listed if name in NAMES] == [name for name in NAMES if name != "gradescope"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["lst"], "'lst'; did you mean 'list'?"),
        (["zzz"], "'zzz'; there is list, check, hint,"),
        (["list", "--lang", "fr"], "'--lang': 'fr' is not one of 'en', 'zh', 'all'."),
        (["list", "--lang", "all"], "'all' is for release"),
        (["--lang"], "'--lang' requires an argument"),
        (["list", "more"], "unexpected extra argument"),
        (["hint"], "Missing argument 'NAME'"),
        (["hint", "attention", "--stp", "1"], "--step"),
        (["grade", "x.py"], "Missing option '--assignment' / '-a'"),
        (["grade", "x.py", "-a", "a", "--seed", "x"], "'--seed': 'x' is not a valid integer"),
        (["grade", "x.py", "-a", "a", "--seed", "-1"], "'--seed': -1 is not in the range x>=0"),
        (["grade", "x.py", "-a", "a", "--audience", "Staff"], "'--audience': 'Staff' is not one of 'student', 'staff'."),
        (["bundle"], "Missing argument 'PLATFORM'. Choose from: gradescope"),
        (["merge", "out"], "Missing argument 'PART...'"),
        (["ci", "take", "o/n", "0", "-o", "x"], "'NUMBER': 0 is not in the range x>=1"),
    ],
)  # fmt: skip
def test_a_wrong_line_ends_with_2_and_is_told_what_to_do(
    line: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line) == 2
    told = capsys.readouterr()
    assert not told.out
    assert said in told.err
    assert "--help' for help" in told.err or "requires an argument" in told.err


@pytest.mark.parametrize(
    ("name", "request_kind", "apart"),
    [
        ("grade", grade.Request, {"json", "markdown", "html", "junit", "gradescope"}),
        ("batch", batch.Request, {"engine"}),
        ("export", export.Request, set()),
        ("ci", ci.Request, set()),
    ],
)
def test_what_is_asked_on_the_line_are_the_facts_of_the_request(name: str, request_kind: Any, apart: set[str]) -> None:
    asked = {param.name for param in command(name).params}
    facts = {field.name for field in fields(request_kind)}
    assert asked - apart <= facts
    assert facts - asked <= {"targets", "environment"}


@pytest.mark.parametrize("line", [["list"], ["list", "--help"]])
def test_ctrl_c_before_a_command_has_begun_is_130(line: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("grader.commands.ports.real_ports", pressed)
    assert main(line) == 130


def test_a_command_imports_no_other_commands_file() -> None:
    script = (
        "import sys; from grader.cli import main; main(['list', '--help']); "
        "print('FILES', *sorted(n for n in sys.modules if n.startswith('grader.cli.')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True
    )
    files = set(ran.stdout.split("FILES ")[1].split())
    assert "grader.cli.student" in files
    assert files.isdisjoint(
        {f"grader.cli.{name}" for name in ("author", "ci", "classes", "grading", "marks", "outside")}
    )
