"""The proxy that checks talk to: a student's functions and classes, answered with plain values."""

from grader.rpc.values import Opaque
from grader.student.ahead import Script
from grader.student.calls import Call
from grader.student.objects import StudentObject
from grader.student.proxy import Student

__all__ = ["Call", "Opaque", "Script", "Student", "StudentObject"]
