"""The author's words: everything a check may import.

A check is a plain function on ``student`` and ``rng`` (and ``reference`` where it needs one); the first
line of its docstring is a title the student may read. See ``docs/authors.md``.
"""

from grader.checks import expect
from grader.checks.marks import criterion, needs
from grader.checks.reading import differences, output_of, values_by_head, weights_of
from grader.model.course import Text

__all__ = ["Text", "criterion", "differences", "expect", "needs", "output_of", "values_by_head", "weights_of"]
