"""The arguments and options that several commands take."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import click

from grader.cli.command import AtLeast, argument, choice

PATH = click.Path(path_type=Path)


class Feedback(StrEnum):
    """How much of a report the student's form shows."""

    PUBLIC = "public"
    CRITERIA = "criteria"
    FULL = "full"


class EngineKind(StrEnum):
    """How a class is spread over processes."""

    POOL = "pool"
    SERIAL = "serial"


the_assignment = argument("name", "The assignment", metavar="NAME")
graded_class = argument("out", "What 'grader batch' wrote", metavar="OUT", type=PATH)
the_student = argument("student", "A student id, or a submission's id", metavar="STUDENT")

for_assignment = click.option("--assignment", "-a", metavar="NAME", required=True, help="The assignment")
secret_seed = click.option("--seed", metavar="N", type=AtLeast(0), help="The secret seed [default: a fresh one]")
for_practice = click.option("--practice", is_flag=True, help="Without proof of isolation; the marks never count")
shown = choice("--feedback", of=Feedback, help="What a student's form shows [default: as course.yaml says]")
late_policy = click.option("--term", metavar="FILE", type=PATH, help="The late policy (YAML)")
side_by_side = click.option(
    "--jobs", metavar="N", type=AtLeast(0), default=0, help="Side by side [default: cores and memory]"
)
spread = choice(
    "--engine",
    of=EngineKind,
    default=EngineKind.POOL.value,
    show_default=True,
    help="pool: side by side; serial: one after the other",
)
