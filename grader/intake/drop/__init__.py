"""What a learning platform hands over for a class: found, told apart and made ready, in whatever layout it came."""

from grader.intake.drop.entries import Drop
from grader.intake.drop.hand_in import Gathered, HandIn, Person
from grader.intake.drop.layouts import NAMES, hand_ins_of
from grader.intake.drop.nested import refuse_classes, unwrapped
from grader.intake.drop.opening import open_drop
from grader.intake.drop.plain import NAME as PLAIN
from grader.intake.drop.staging import Staged, stage

__all__ = [
    "NAMES",
    "PLAIN",
    "Drop",
    "Gathered",
    "HandIn",
    "Person",
    "Staged",
    "hand_ins_of",
    "open_drop",
    "refuse_classes",
    "stage",
    "unwrapped",
]
