"""When a hand-in was due, when it came, and how many days late that is. The marks are `scoring`'s.

The term file stands beside the course, not in it: a moved deadline changes no assignment and runs nothing again.
"""

from grader.late.lateness import HandedIn, Lateness, Source, Term, lateness, moment
from grader.late.term_file import read_term, term_from

__all__ = ["HandedIn", "Lateness", "Source", "Term", "lateness", "moment", "read_term", "term_from"]
