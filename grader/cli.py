"""The command line: parses and wires, decides nothing. Each command is imported when it is called."""

from __future__ import annotations

import io
import locale
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from grader.commands.exits import Exit
from grader.commands.failures import exit_code_of
from grader.commands.setting import ENVIRONMENT, Ports, Setting
from grader.model.course import Audience

_ANYWHERE = {"--course": 1, "--reference": 1, "--lang": 1, "--plain": 0}  # option: how many values it takes
_EPILOG = "Anywhere on the line: --course DIR, --reference DIR, --lang en|zh, --plain (no boxes, no colour)."


class Language(StrEnum):
    """The languages of texts and reports."""

    EN = "en"
    ZH = "zh"
    ALL = "all"  # of 'release' alone


class Feedback(StrEnum):
    """How much of a report the student's form shows."""

    PUBLIC = "public"
    CRITERIA = "criteria"
    FULL = "full"


class EngineKind(StrEnum):
    """How a class is spread over processes."""

    POOL = "pool"
    SERIAL = "serial"


class OptionsAnywhere(TyperGroup):
    """Takes the options of the whole command from wherever they stand on the line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, options_first(args))


def options_first(args: Sequence[str]) -> list[str]:
    """``args`` with the options that may stand anywhere moved to the front; nothing after ``--`` is touched."""
    front: list[str] = []
    rest: list[str] = []
    left = list(args)
    while left and left[0] != "--":
        word = left.pop(0)
        values = _ANYWHERE.get(word.partition("=")[0])
        if values is None:
            rest.append(word)
            continue
        front.append(word)
        if values and "=" not in word and left:
            front.append(left.pop(0))
    return [*front, *rest, *left]


app = typer.Typer(
    cls=OptionsAnywhere,
    help="Grades hand-written attention: in pieces, with reasons.",
    epilog=_EPILOG,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def main(arguments: Sequence[str] | None = None, ports: Ports | None = None) -> int:
    """Run one command and give its exit code (see `Exit`). ``ports`` replaces the rooms behind the commands."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whatever is said: no console fails over a character
            stream.reconfigure(errors="backslashreplace")
    command = typer.main.get_command(_only(sys.argv[1:] if arguments is None else arguments))
    try:
        command.main(None if arguments is None else list(arguments), prog_name="grader", obj=ports)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else Exit.DONE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    return Exit.DONE


def _only(arguments: Sequence[str]) -> typer.Typer:
    """The command that the line names, alone: building them all takes longer than a quick one runs. Else all."""
    words = options_first(arguments)
    while words and words[0].partition("=")[0] in _ANYWHERE:
        word = words.pop(0)
        del words[: _ANYWHERE[word] if "=" not in word else 0]
    named = [
        c for c in app.registered_commands if words and words[0] == (c.name or getattr(c.callback, "__name__", ""))
    ]
    if not named:
        return app
    alone = copy(app)
    alone.registered_commands = named
    return alone


@app.callback()
def settings(
    ctx: typer.Context,
    course: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The course's folder [default: found from here]")
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The private reference [default: beside the course]")
    ] = None,
    lang: Annotated[
        Language | None, typer.Option(help="The language of texts (release: also 'all') [default: the locale's]")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Lines without boxes or colour, for screen readers")] = False,
) -> None:
    from grader.commands.ports import real_ports

    if lang is Language.ALL:
        if ctx.invoked_subcommand != "release":
            raise typer.BadParameter("'all' is for release; a text is in one language: en or zh", param_hint="--lang")
        lang = None
    ctx.obj = Setting(
        ports=ctx.obj or real_ports(),
        folder=Path.cwd(),
        lang=str(lang or default_language(os.environ, sys.stdout.encoding)),
        plain=plain,
        course_folder=course,
        reference=reference,
        environment={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
        lang_asked=lang is not None,
    )


def default_language(environment: Mapping[str, str], encoding: str | None) -> Language:
    """Chinese where the locale says so and the stream can show it, else English."""
    names = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    spoken = next((name for name in names if name), None) or (locale.getlocale()[0] or "")
    try:
        "分".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return Language.EN
    return Language.ZH if spoken.lower().startswith(("zh", "chinese")) else Language.EN


def _finish(command: Callable[[], Exit]) -> None:
    raise typer.Exit(exit_code_of(command))


_Name = Annotated[str, typer.Argument(metavar="NAME", help="The assignment")]
_For = Annotated[str, typer.Option("--assignment", "-a", metavar="NAME", help="The assignment")]
_Seed = Annotated[int | None, typer.Option(metavar="N", min=0, help="The secret seed [default: a fresh one]")]
_Practice = Annotated[bool, typer.Option("--practice", help="Without proof of isolation; the marks never count")]
_Shown = Annotated[Feedback | None, typer.Option(help="What a student's form shows [default: as course.yaml says]")]


_Term = Annotated[Path | None, typer.Option("--term", metavar="FILE", help="The late policy (YAML)")]
_Out = Annotated[Path, typer.Argument(metavar="OUT", help="What 'grader batch' wrote")]
_Student = Annotated[str, typer.Argument(metavar="STUDENT", help="A student id, or a submission's id")]
_Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=0, help="Side by side [default: cores and memory]")]
_Engine = Annotated[EngineKind, typer.Option("--engine", help="pool: side by side; serial: one after the other")]


@app.command("list")
def list_(ctx: typer.Context) -> None:
    """The course: assignments, marks, state."""
    from grader.commands import course_list

    _finish(lambda: course_list.run(ctx.obj))


@app.command()
def check(
    ctx: typer.Context,
    target: Annotated[str | None, typer.Argument(metavar="[NAME or FILE]", help="An assignment or a file")] = None,
    assignment: Annotated[
        str | None, typer.Option("--assignment", "-a", metavar="NAME", help="What a file of another name answers")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Again with every save, until Ctrl-C")] = False,
) -> None:
    """Your own run of the public checks."""
    from grader.commands import check as command
    from grader.commands import watch as watching

    _finish(lambda: (watching if watch else command).run(ctx.obj, target, assignment))


@app.command()
def hint(
    ctx: typer.Context,
    name: _Name,
    criterion: Annotated[str | None, typer.Argument(help="A line of the rubric [default: lists them]")] = None,
    step: Annotated[int, typer.Option(metavar="N", help="1: a nudge, 2: where to look, 3: nearly there")] = 1,
) -> None:
    """A hint, one step at a time."""
    from grader.commands import hint as command

    _finish(lambda: command.run(ctx.obj, name, criterion, step))


@app.command()
def grade(
    ctx: typer.Context,
    submission: Annotated[Path, typer.Argument(metavar="SUBMISSION", help="A file, folder or notebook")],
    assignment: _For,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report as JSON ('-': stdout)")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="... as Markdown")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="... as HTML")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="... as JUnit XML")] = None,
    gradescope: Annotated[Path | None, typer.Option(metavar="FILE", help="... as Gradescope's results.json")] = None,
    notebook: Annotated[
        Path | None, typer.Option(metavar="FILE", help="... as HTML, over the graded notebook with marks in it")
    ] = None,
    audience: Annotated[Audience, typer.Option(help="Who will read it")] = Audience.STAFF,
    feedback: _Shown = None,
    seed: _Seed = None,
    min_score: Annotated[float | None, typer.Option(metavar="X", help="Exit code 1 below X marks")] = None,
    practice: _Practice = False,
    term: _Term = None,
    handed_in: Annotated[
        str, typer.Option("--handed-in", metavar="TIME", help="When it came, such as 2026-03-01T23:59+08:00")
    ] = "",
) -> None:
    """Grade one submission."""
    from grader.commands import grade as command

    given = {"json": json, "markdown": markdown, "html": html, "junit": junit, "gradescope": gradescope}
    request = command.Request(
        submission=submission,
        assignment=assignment,
        targets={form: target for form, target in given.items() if target is not None},
        audience=audience,
        feedback=feedback,
        seed=seed,
        min_score=min_score,
        practice=practice,
        notebook=notebook,
        term=term,
        handed_in=handed_in,
    )
    _finish(lambda: command.run(ctx.obj, request))


@app.command()
def batch(
    ctx: typer.Context,
    drop: Annotated[Path, typer.Argument(metavar="DROP", help="A class: a folder or .zip, as the platform gave it")],
    assignment: _For,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="Takes grades.csv and reports/")],
    layout: Annotated[str, typer.Option("--layout", metavar="L", help="The platform [default: seen from names]")] = "",
    pattern: Annotated[
        str, typer.Option("--pattern", metavar="REGEX", help="Paths of any other layout: (?P<student_id>...)")
    ] = "",
    roster: Annotated[Path | None, typer.Option("--roster", metavar="FILE", help="The class as CSV")] = None,
    told: Annotated[Path | None, typer.Option("--map", metavar="FILE", help="OUT/map.csv, filled in")] = None,
    feedback: _Shown = None,
    seed: _Seed = None,
    practice: _Practice = False,
    jobs: _Jobs = 0,
    engine: _Engine = EngineKind.POOL,
    pseudonyms: Annotated[
        bool, typer.Option("--pseudonyms", help="Reports without names; private/ of OUT holds the map")
    ] = False,
    shard: Annotated[str, typer.Option(metavar="I/N", help="One part of N, for 'merge'; needs --seed")] = "",
    term: _Term = None,
    times: Annotated[
        Path | None, typer.Option("--times", metavar="FILE", help="When each handed in: the platform's sheet as CSV")
    ] = None,
    pages: Annotated[bool, typer.Option("--pages", help="Graded notebooks as HTML beside their reports")] = False,
) -> None:
    """Grade a class; the same command again grades only what is new or changed."""
    from grader.commands import batch as command

    count = None if engine is EngineKind.SERIAL else jobs
    request = command.Request(drop, assignment, out, seed, feedback, practice, layout, pattern, roster, told,
                              count, pseudonyms, shard, term, times, pages)  # fmt: skip
    _finish(lambda: command.run(ctx.obj, request))


@app.command()
def override(
    ctx: typer.Context,
    out: _Out,
    student: _Student,
    why: Annotated[str, typer.Option(metavar="TEXT", help="The reason; it stands beside the mark")],
    score: Annotated[str | None, typer.Option(metavar="X", help="The mark of the whole, as it shall stand")] = None,
    criterion: Annotated[list[str] | None, typer.Option(metavar="ID=X", help="The mark of one line")] = None,
    comment: Annotated[str, typer.Option(metavar="TEXT", help="A word to the student")] = "",
    clear: Annotated[bool, typer.Option("--clear", help="Withdraw what was given before")] = False,
    who: Annotated[str | None, typer.Option(metavar="NAME", help="Who decides [default: the user]")] = None,
) -> None:
    """Set a mark by hand, beside the machine's."""
    from grader.commands import class_people as command

    def run() -> Exit:
        words = command.read_words(ctx.obj.folder / out, score, criterion or (), clear, why, who, comment)
        return command.run_override(ctx.obj, out, student, words)

    _finish(run)


@app.command()
def publish(ctx: typer.Context, out: _Out) -> None:
    """Freeze the marks: only 'regrade' moves them from then on."""
    from grader.commands import class_people as command

    _finish(lambda: command.run_publish(ctx.obj, out))


@app.command()
def regrade(
    ctx: typer.Context,
    out: _Out,
    drop: Annotated[Path | None, typer.Option(metavar="DROP", help="Where the class is now")] = None,
    allow_lower: Annotated[bool, typer.Option("--allow-lower", help="Published marks may fall")] = False,
    jobs: _Jobs = 0,
    engine: _Engine = EngineKind.POOL,
) -> None:
    """Grade again what a change touches; says who moved, by how much and why."""
    from grader.commands import class_people as command

    count = None if engine is EngineKind.SERIAL else jobs
    _finish(lambda: command.run_regrade(ctx.obj, out, drop, allow_lower, count))


@app.command()
def diff(
    ctx: typer.Context,
    first: Annotated[Path, typer.Argument(metavar="OUT_A")],
    second: Annotated[Path, typer.Argument(metavar="OUT_B")],
) -> None:
    """Who stands differently in two graded classes, and why."""
    from grader.commands import class_people as command

    _finish(lambda: command.run_diff(ctx.obj, first, second))


@app.command()
def export(
    ctx: typer.Context,
    out: _Out,
    platform: Annotated[
        str, typer.Argument(metavar="PLATFORM", help="canvas, moodle, gradescope, blackboard, nbgrader, csv or excel")
    ],
    template: Annotated[Path | None, typer.Option(metavar="FILE", help="The platform's sheet, as downloaded")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="[default: exports/ of OUT]")
    ] = None,
    column: Annotated[str, typer.Option(metavar="NAME", help="The sheet's column [default: found by title]")] = "",
    scale: Annotated[bool, typer.Option("--scale", help="Turn marks into those of the sheet's maximum")] = False,
    feedback: Annotated[
        Path | None, typer.Option(metavar="FILE.zip", help="Write the students' reports as canvas, moodle take them")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change, write nothing")] = False,
) -> None:
    """Fill the platform's own sheet with the marks, by hand or published ones included."""
    from grader.commands import export as command

    request = command.Request(out, platform, template, output, column, scale, feedback, dry_run)
    _finish(lambda: command.run(ctx.obj, request))


@app.command()
def forget(ctx: typer.Context, out: _Out, student: _Student) -> None:
    """Remove every trace of a student from OUT."""
    from grader.commands import class_gone as command

    _finish(lambda: command.run_forget(ctx.obj, out, student))


@app.command()
def purge(
    ctx: typer.Context,
    out: _Out,
    before: Annotated[str, typer.Option(metavar="DATE", help="A day, such as 2026-09-30")],
) -> None:
    """Remove every trace of the students last graded before a day."""
    from grader.commands import class_gone as command

    _finish(lambda: command.run_purge(ctx.obj, out, before))


@app.command()
def merge(
    ctx: typer.Context,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A new folder")],
    parts: Annotated[list[Path], typer.Argument(metavar="PART...", help="What 'batch --shard' wrote")],
) -> None:
    """Put the parts of a class together."""
    from grader.commands import merge as command

    _finish(lambda: command.run(ctx.obj, out, parts))


@app.command()
def validate(
    ctx: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Assignments [default: all]")] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Some seconds each: fewer seeds, no pairs, no names")] = False,
    seeds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Seeds for right code [default: 20; fast: 2]")
    ] = None,
    right: Annotated[
        Path | None, typer.Option(metavar="DIR", help="More right submissions: DIR/<name>/right_*")
    ] = None,
    matrix: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write known mistakes by criteria as Markdown")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The findings as JSON on stdout")] = False,
) -> None:
    """Prove that an exercise grades fairly."""
    from grader.commands import validate as command

    request = command.Request(tuple(names or ()), fast, seeds, json, right, matrix)
    _finish(lambda: command.run(ctx.obj, request))


@app.command()
def new(ctx: typer.Context, name: Annotated[str, typer.Argument(metavar="NAME", help="A Python name")]) -> None:
    """Begin an assignment: a small exercise that validates, to be rewritten."""
    from grader.commands import new as command

    _finish(lambda: command.run(ctx.obj, name))


@app.command()
def examples(
    ctx: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Assignments [default: all]")] = None,
    check: Annotated[bool, typer.Option("--check", help="Only say which stored examples no longer hold")] = False,
) -> None:
    """Find the smallest call that shows each known mistake."""
    from grader.commands import examples as command

    _finish(lambda: command.run(ctx.obj, tuple(names or ()), check))


@app.command()
def notebooks(
    ctx: typer.Context,
    check: Annotated[bool, typer.Option("--check", help="Only say which are not what handout and stub give")] = False,
) -> None:
    """Write the assignments' notebooks from handout and stub."""
    from grader.commands import notebooks as command

    _finish(lambda: command.run(ctx.obj, check))


@app.command()
def release(
    ctx: typer.Context,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A folder that is not there yet; OUT.zip comes beside it")],
) -> None:
    """Write the students' copy of the course, in every language (--lang all) or in one (--lang en)."""
    from grader.commands import release as command

    _finish(lambda: command.run(ctx.obj, out))


@app.command()
def replay(
    ctx: typer.Context,
    report: Annotated[Path, typer.Argument(metavar="REPORT", help="report.json, the staff form")],
    submission: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Where the submission is now [default: where it was]")
    ] = None,
) -> None:
    """Rebuild the verdict of a report."""
    from grader.commands import replay as command

    _finish(lambda: command.run(ctx.obj, report, submission))


@app.command()
def pack(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The pack, for 'grader ci --pack'")],
) -> None:
    """Put the private reference into one file and print its digest."""
    from grader.commands import pack as command

    _finish(lambda: command.run(ctx.obj, out))


class Platform(StrEnum):
    """A platform that grades by itself."""

    GRADESCOPE = "gradescope"


@app.command()
def bundle(
    ctx: typer.Context,
    platform: Annotated[Platform, typer.Argument(help="The platform")],
    name: _Name,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="autograder.zip; it holds the reference")],
    seed: _Seed = None,
    feedback: _Shown = None,
    wheels: Annotated[Path | None, typer.Option(metavar="DIR", help="Packages to travel with it: no network")] = None,
) -> None:
    """Write the archive with which a platform grades an assignment by itself."""
    from grader.commands import bundle as command

    request = command.Request(name, out, seed, feedback, wheels)
    _finish(lambda: command.run(ctx.obj, request))


@app.command(hidden=True)
def gradescope(
    ctx: typer.Context,
    root: Annotated[Path, typer.Option(metavar="DIR", help="The platform's folder, above source/")],
) -> None:
    """Grade one submission on the platform; the bundle's script calls this."""
    from grader.commands import gradescope as command

    _finish(lambda: command.run(ctx.obj, root))


ci_app = typer.Typer(invoke_without_command=True, rich_markup_mode=None)
app.add_typer(ci_app, name="ci")


@ci_app.callback()
def ci(
    ctx: typer.Context,
    repository: Annotated[Path, typer.Option(metavar="DIR", help="The student's repository")] = Path(),
    base: Annotated[str | None, typer.Option(metavar="REV", help="What it was [default: as the service]")] = None,
    head: Annotated[str | None, typer.Option(metavar="REV", help="What to grade [default: as the service]")] = None,
    assignment: Annotated[
        list[str] | None, typer.Option("--assignment", "-a", metavar="NAME", help="This one, whether touched or not")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="OUT", help="Takes the report files")] = None,
    public: Annotated[bool, typer.Option("--public", help="The public checks alone; needs no reference")] = False,
    audience: Annotated[Audience, typer.Option(help="Who reads the summary")] = Audience.STUDENT,
    feedback: _Shown = None,
    min_score: Annotated[str, typer.Option(metavar="X", help="Exit code 1 below X marks, or X% of them")] = "",
    seed: _Seed = None,
    student: Annotated[str, typer.Option(metavar="ID", help="Whose it is [default: the repository's name]")] = "",
    practice: _Practice = False,
    pack: Annotated[Path | None, typer.Option(metavar="FILE", help="What 'grader pack' wrote, for reference/")] = None,
    pack_digest: Annotated[str, typer.Option(metavar="D", help="sha256:...; another pack is refused")] = "",
    change: Annotated[Path | None, typer.Option(metavar="FILE", help="What 'grader ci take' found")] = None,
    term: _Term = None,
    ledger: Annotated[Path | None, typer.Option(metavar="FILE", help="Counts hidden runs by student and day")] = None,
    handed_in: Annotated[str, typer.Option(metavar="TIME", help="When the push came, by the server's clock")] = "",
) -> None:
    """Grade what a change of a repository touches."""
    if ctx.invoked_subcommand is not None:
        return
    from grader.commands import ci as command

    request = command.Request(
        repository=repository,
        head=head,
        base=base,
        names=tuple(assignment or ()),
        out=out,
        public=public,
        audience=audience,
        feedback=feedback,
        min_score=min_score,
        seed=seed,
        student=student,
        practice=practice,
        pack=pack,
        pack_digest=pack_digest,
        change=change,
        term=term,
        ledger=ledger,
        handed_in=handed_in,
        environment=dict(os.environ),
    )
    _finish(lambda: command.run(ctx.obj, request))


_Repository = Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The student's repository")]
_Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="The pull request")]


@ci_app.command("find")
def ci_find(
    ctx: typer.Context,
    listed: Annotated[Path, typer.Argument(metavar="FILE", help="The students' repositories, one a line")],
) -> None:
    """Ask GitHub which pull requests are not graded yet (GITHUB_TOKEN: read only)."""
    from grader.commands import ci_server as command

    _finish(lambda: command.find(ctx.obj, _server(), listed, os.environ))


@ci_app.command("take")
def ci_take(
    ctx: typer.Context,
    repository: _Repository,
    number: _Number,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="Takes change.json and repository.git")],
    head: Annotated[str | None, typer.Option(metavar="SHA", help="This commit [default: the last one]")] = None,
) -> None:
    """Fetch a pull request as data, with the server's time of the push (GITHUB_TOKEN: read only)."""
    from grader.commands import ci_server as command

    _finish(lambda: command.take(ctx.obj, _server(), repository, number, head, out))


@ci_app.command("post")
def ci_post(
    ctx: typer.Context,
    repository: _Repository,
    number: _Number,
    head: Annotated[str, typer.Argument(metavar="SHA", help="The commit that was graded")],
    out: Annotated[Path, typer.Option("--results", metavar="OUT", help="What 'grader ci --out' wrote")],
    shared: Annotated[bool, typer.Option("--shared", help="Others read this repository: show no mark")] = False,
) -> None:
    """Put the result on the pull request: one comment, kept up to date, and a check (GITHUB_TOKEN)."""
    from grader.commands import ci_server as command

    _finish(lambda: command.post(ctx.obj, _server(), (repository, number, head), out, shared=shared))


def _server() -> Any:
    import time

    from grader.commands.ci_server import Server

    return Server.of(os.environ, time.sleep)


@app.command()
def doctor(ctx: typer.Context) -> None:
    """What this machine can enforce, and what to do about what it cannot."""
    from grader.commands import doctor as command

    _finish(lambda: command.run(ctx.obj))
