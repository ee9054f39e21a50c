"""Which known mistakes explain what was seen. Never changes a mark."""

from grader.diagnosis.faults import Fault
from grader.model.course import Text

__all__ = ["Fault", "Text"]
