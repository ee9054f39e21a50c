"""A mistake is held only against functions that it can show in: read off the text of the solution."""

from __future__ import annotations

import pytest

from grader.diagnosis.reach import reached

SOLUTION = """
import math
LIMIT = 3
def scores(q): return q / math.sqrt(LIMIT)
def weights(s): return s + 1
class Heads:
    def split(self, q): return weights(q)
def whole(q): return weights(scores(q)), Heads
def apart(q): return q
"""


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("return q / math", "return q * math", {"scores", "whole"}),
        ("return s + 1", "return s - 1", {"weights", "Heads", "whole"}),
        ("split(self, q): return", "split(self, q): q = 0; return", {"Heads", "whole"}),
        ("def apart(q): return q", "def apart(q): return other(q)\ndef other(q): return q", {"apart", "other"}),
        ("return q\n", "return q  # a comment\n", set()),
        ("LIMIT = 3", "LIMIT = 4", None),
        ("import math", "import cmath as math", None),
    ],
)
def test_a_change_shows_where_it_stands_and_in_what_uses_that(old: str, new: str, names: set[str] | None) -> None:
    assert old in SOLUTION
    assert reached(SOLUTION, SOLUTION.replace(old, new)) == names
