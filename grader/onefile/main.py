"""``python check.pyz [NAME or FILE]...``: the public checks, where nothing may be installed."""

from __future__ import annotations

import argparse
import locale
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.errors import NotGradable, UsageError
from grader.intake.choice import Closeness, closeness
from grader.model.course import Assignment, Course
from grader.onefile.archive import own_course
from grader.onefile.files import check_file
from grader.reports.glyphs import encodable

_DONE, _NOT_ENOUGH, _USAGE, _INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str], archive: Path) -> int:
    """The exit code: 0 everything passed, 1 something did not, 2 called wrongly, 130 interrupted."""
    asked = _parser().parse_args(arguments)
    lang = asked.lang or _language()
    course = own_course()
    try:
        work = list(_work(course, asked.what, asked.assignment, archive.resolve().parent))
        results = [_shown(assignment, path, course, lang) for assignment, path in work]
        return _DONE if all(results) else _NOT_ENOUGH
    except UsageError as wrong:
        _say(sys.stderr, str(wrong))
        return _USAGE
    except KeyboardInterrupt:
        _say(sys.stderr, "interrupted")
        return _INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="check.pyz", description="Your own run of the public checks.")
    parser.add_argument("what", nargs="*", metavar="NAME or FILE", help="default: every assignment found here")
    parser.add_argument("-a", "--assignment", metavar="NAME", help="what a file of another name answers")
    parser.add_argument("--lang", choices=("en", "zh"), help="default: as the system speaks")
    return parser


def _language() -> str:
    told = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    try:
        "分".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return "en"
    return "zh" if (told or locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"


def _work(course: Course, what: Sequence[str], named: str | None, home: Path) -> Iterator[tuple[Assignment, Path]]:
    """What is to be checked: each name's file, each file's assignment; with neither, whatever lies here."""
    if not what:
        found = [(a, path) for a in course.assignments if (path := _file_of(a, home)) is not None]
        if not found:
            raise UsageError(f"no file of any assignment lies here; give a name or a file: {_known(course)}")
        yield from found
    for word in what:
        path, assignment = Path(word), course.assignment(word)
        if path.is_file():
            yield (_named(course, named) if named else _answered_by(course, path)), path
        elif assignment is None:
            raise UsageError(f"{word!r} is neither a file nor an assignment; there is {_known(course)}")
        elif (path_of := _file_of(assignment, home)) is None:
            raise UsageError(f"found no {assignment.file} and no notebook of that name here; give its path")
        else:
            yield assignment, path_of


def _file_of(assignment: Assignment, home: Path) -> Path | None:
    """Where an assignment's work lies. Of a file and a notebook beside each other, the one that was changed last."""
    for folder in (Path.cwd(), Path.cwd() / "assignments" / assignment.name, home / "assignments" / assignment.name):
        paths = [(folder / assignment.file).with_suffix(suffix) for suffix in (".py", ".ipynb")]
        if there := [path for path in paths if path.is_file()]:
            return max(there, key=lambda path: path.stat().st_mtime)
    return None


def _answered_by(course: Course, path: Path) -> Assignment:
    best = min(course.assignments, key=lambda assignment: closeness(path.name, assignment))
    if closeness(path.name, best) <= Closeness.HOLDS:
        return best
    inside = course.assignment(path.resolve().parent.name)
    if inside is not None:
        return inside
    raise UsageError(f"cannot tell which assignment {path.name} answers; add -a NAME, one of {_known(course)}")


def _named(course: Course, name: str) -> Assignment:
    assignment = course.assignment(name)
    if assignment is None:
        raise UsageError(f"there is no assignment {name!r}; there is {_known(course)}")
    return assignment


def _known(course: Course) -> str:
    return ", ".join(assignment.name for assignment in course.assignments)


def _shown(assignment: Assignment, path: Path, course: Course, lang: str) -> bool:
    try:
        checked = check_file(path, assignment, course, lang)
    except NotGradable as unreadable:
        _say(sys.stdout, unreadable.reason.pick(lang))
        return False
    _say(sys.stdout, f"{checked}\n")
    return checked.passed


def _say(stream: object, text: str) -> None:
    encoding = getattr(stream, "encoding", None)
    print(encodable(text, encoding), file=stream, flush=True)  # type: ignore[call-overload]
