"""The files of the small exercise a new assignment begins as: rows less their mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Final

_PLACES: Final = {
    "assignments": ("assignment.yaml", "README.md", "README.zh.md", "stub.py", "checks_public.py"),
    "reference": ("solution.py", "checks.py", "faults.py"),
}
_NAME: Final = "exercise_name"  # stands in the files for the assignment's name


def files_of(place: str, name: str, languages: Sequence[str]) -> dict[str, str]:
    """Content by file name, for ``assignments`` or ``reference``, in the languages of the course."""
    made = {}
    for file in _PLACES[place]:
        if file == "README.zh.md" and "zh" not in languages:
            continue
        template = (files("grader.scaffold") / "template" / f"{file}.txt").read_text(encoding="utf-8")
        made[f"{name}.py" if file == "stub.py" else file] = _spoken(template.replace(_NAME, name), languages)
    return made


def _spoken(template: str, languages: Sequence[str]) -> str:
    """The lines of a template but for those of languages the course does not have."""
    return "".join(_kept(template.splitlines(keepends=True), "zh" in languages))


def _kept(lines: Sequence[str], chinese: bool) -> Iterator[str]:
    """Chinese is what begins with ``zh:`` in YAML or ``zh=`` in Python, with all that stands further in below it."""
    beyond: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if beyond is not None and indent > beyond:
            continue
        chinese_here = line.lstrip().startswith(("zh:", "zh="))
        beyond = indent if chinese_here and not chinese else None
        if beyond is None:
            yield line
