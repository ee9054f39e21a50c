"""A new assignment: a small exercise that is right in every respect, to be rewritten."""

from grader.scaffold.making import make

__all__ = ["make"]
