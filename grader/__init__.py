"""An autograder for hand-written attention."""

__version__ = "0.1.0"
