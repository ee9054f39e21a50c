"""Proves an exercise: right code earns everything, idle code nothing, and each known mistake loses its own marks alone.

Submissions are written from the files of the assignment and graded as students' are; only ``desk`` runs where
checks do.
"""

from grader.proof.facts import Matrix, Naming, Plan, Proof, Room, Row, Sheet
from grader.proof.validating import validate

__all__ = ["Matrix", "Naming", "Plan", "Proof", "Room", "Row", "Sheet", "validate"]
