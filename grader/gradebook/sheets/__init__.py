"""One file a platform: standings in, the sheet that the platform takes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from grader.errors import UsageError
from grader.gradebook.sheets import blackboard, canvas, gradescope, moodle, plain
from grader.gradebook.sheets.filled import Change, Filled, Wanted
from grader.gradebook.sheets.table import Table, read_table
from grader.model.report import Standing

__all__ = ["NAMES", "Change", "Filled", "Wanted", "fill_sheet"]

_Fill = Callable[[Table, Sequence[Standing], Wanted], Filled]
_Make = Callable[[Sequence[Standing], Wanted], Filled]
_FILLED: Mapping[str, tuple[_Fill, str]] = MappingProxyType({
    "canvas": (canvas.filled, canvas.HOW),
    "moodle": (moodle.filled, moodle.HOW),
    "gradescope": (gradescope.filled, gradescope.HOW),
    "blackboard": (blackboard.filled, blackboard.HOW),
    "nbgrader": (plain.nbgrader_filled, ""),
})  # fmt: skip
_MADE: Mapping[str, _Make] = MappingProxyType({"nbgrader": plain.nbgrader, "csv": plain.plain, "excel": plain.excel})
NAMES = tuple(dict.fromkeys([*_FILLED, *_MADE]))


def fill_sheet(name: str, standings: Sequence[Standing], wanted: Wanted, template: tuple[str, bytes] | None) -> Filled:
    """The sheet for the platform ``name``; ``template`` is the name and the bytes of what it gave for download.

    Raises:
        UsageError: the sheet is not what it should be, or is needed, or not; says what to do.
    """
    if template is None:
        if name not in _MADE:
            raise UsageError(
                f"{name} knows students by its own sheet; download it {_FILLED[name][1]}, and give it with --template"
            )
        return _MADE[name](standings, wanted)
    if name not in _FILLED:
        raise UsageError(f"a sheet for {name} is made from nothing; take --template away")
    return _FILLED[name][0](read_table(template[1], template[0]), standings, wanted)
