"""A file that is to be handed in, loaded in this very process and put to the public checks.

Here the code is the student's own on the student's own machine: no wall stands between. Ctrl-C ends a call that hangs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any

from grader import intake
from grader.checks.plain import collect_public
from grader.loading import read_loaded
from grader.model.course import Assignment, Course
from grader.model.submission import Place, Remark, Submission
from grader.notebook.live import LiveStudent, no_sudden_end, run
from grader.notebook.shown import Checked
from grader.places import read_place
from grader.worker import loader
from grader.worker.records import Loaded


def check_file(path: Path, assignment: Assignment, course: Course, lang: str) -> Checked:
    """Raises ``NotGradable`` where the file cannot be read."""
    submission = intake.load(path, assignment)
    with no_sudden_end():
        loaded = loaded_here(submission, assignment, {}, lambda number, spot: None)
    told = read_loaded(loaded.summary(), assignment, course)

    def place_of_error(traceback: TracebackType | None) -> Place | None:
        return read_place(loaded.place_of_error(traceback))

    things = {d.name: loaded.namespace[d.name] for d in told.definitions if d.name in loaded.namespace}
    tests = collect_public(assignment)
    return Checked(
        assignment,
        lang,
        run(tests, LiveStudent(things, told.definitions, place_of_error)),
        told.definitions,
        tuple(_remark(remark, lang) for remark in (*submission.remarks, *told.remarks)),
        criteria=tuple(dict.fromkeys(test.criterion for test in tests)),
        file=path.name,
        fingerprint=submission.fingerprint,
    )


def loaded_here(
    submission: Submission, assignment: Assignment, left_out: Mapping[str, str], announce: loader.Announce
) -> Loaded:
    """Run the student's file in this process. ``left_out`` and ``announce``: see `grader.worker.loader.load`."""
    stub = intake.stub_text(assignment)
    required = [{"name": f.name, "aliases": list(f.aliases), "stub": stub} for f in assignment.functions]
    chunks: list[dict[str, Any]] = [
        {"source": c.source, "file": c.place.file, "line": c.place.line, "cell": c.place.cell}
        for c in submission.chunks
    ]
    name = PurePosixPath(assignment.file).stem
    return loader.load(chunks, intake.modules_of(submission), name, required, left_out, announce)


def _remark(remark: Remark, lang: str) -> str:
    text, spot = remark.text.pick(lang), remark.place
    if spot is None:
        return text
    where = f"{spot.file}:{spot.line}" if spot.cell is None else f"{spot.file}, cell {spot.cell}, line {spot.line}"
    return f"{where}: {text}"
