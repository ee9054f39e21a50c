"""A mistake that answers every call of a test as right code does need not go through the test."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
import torch

from grader.checks.collected import Test
from grader.diagnosis.faults import Fault, build
from grader.diagnosis.inline import InlineStudent, copied
from grader.diagnosis.rehearsal import Rehearsals
from grader.diagnosis.untouched import Made, answers_alike
from grader.model.course import Text
from tests.test_ahead import as_tests

SOLUTION = """
import torch
def scores(q, k): return q @ k.mT
def weights(s, mask=None):
    s = s if mask is None else s.masked_fill(~mask, -torch.inf)
    return torch.softmax(s, -1)
"""
ONES, MASK = torch.ones(2, 2), torch.tensor([[True, False], [True, True]])


def module(old: str = "", new: str = "") -> ModuleType:
    return build(SOLUTION.replace(old, new) if old else SOLUTION, "a_solution")


def call(value: object, *args: object, **named: object) -> list[Made]:
    return [Made("weights", args, dict(named), value)]


def test_only_the_very_same_answers_are_alike() -> None:
    right = module().weights(ONES, mask=MASK)
    assert answers_alike(module(), call(right, ONES, mask=MASK), copied)
    for old, new in [
        ("-torch.inf", "-1e4"),  # the same numbers: exp(-1e4) is 0
        ("return torch.softmax(s, -1)", "return torch.softmax(s, -1) + 0"),
    ]:
        assert answers_alike(module(old, new), call(right, ONES, mask=MASK), copied)
    for old, new in [
        ("-torch.inf", "0"),
        ("softmax(s, -1)", "softmax(s, -1).double()"),
        ("softmax(s, -1)", "softmax(s, -1)[None]"),
        ("return torch.softmax(s, -1)", "return torch.softmax(s, -1), 1"),
        ("return torch.softmax", "return s.absent"),
        ("softmax(s, -1)", "softmax(s, -1).requires_grad_()"),
    ]:
        assert not answers_alike(module(old, new), call(right, ONES, mask=MASK), copied), new


@pytest.mark.parametrize("value", [None, 3, 2.5, "text", True, (1, torch.ones(2)), [np.ones(2), 1]])
def test_whatever_a_function_gives_can_be_compared(value: object) -> None:
    giving = ModuleType("giving")
    giving.__dict__["weights"] = lambda: value
    assert answers_alike(giving, call(copied(value)), copied)
    assert not answers_alike(giving, call(object()), copied)
    assert not answers_alike(giving, call(1.5), copied)


def test_a_mistake_that_writes_into_what_it_is_given_spoils_no_later_call() -> None:
    writing = module("s = s if", "s.mul_(1); s.add_(1); s = s if")
    given = torch.zeros(2, 2)
    calls = call(module().weights(given), given) * 2
    assert answers_alike(writing, calls, copied) and not given.any()


class Asks:
    """Checks that note what they were run with."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def plainly(self, student: InlineStudent) -> None:
        self.ran.append("plainly")
        student.weights(student.scores(ONES, ONES))

    def with_mask(self, student: InlineStudent) -> None:
        self.ran.append("with_mask")
        student.weights(ONES, MASK)

    def gradients(self, student: InlineStudent) -> None:
        self.ran.append("gradients")
        student.weights(ONES.clone().requires_grad_()).sum().backward()

    def arguments(self, student: InlineStudent) -> None:
        self.ran.append("arguments")
        student.watch("weights", ONES)


def test_a_test_is_gone_through_only_where_a_mistake_changes_an_answer_or_values_are_not_all() -> None:
    asks = Asks()
    plainly, with_mask, gradients, arguments = as_tests(asks.plainly, asks.with_mask, asks.gradients, asks.arguments)
    rehearsals = Rehearsals(SOLUTION, module(), 1)
    fault = Fault("zero_fill", ("c",), Text(en="", zh=""), {"-torch.inf": "0"})

    def logs(test: Test) -> tuple[object, object]:
        return rehearsals.log((), test), rehearsals.log((fault,), test)

    right, faulty = logs(plainly)
    assert faulty is right and asks.ran == ["plainly"]
    right, faulty = logs(with_mask)
    assert faulty is not right and asks.ran[1:] == ["with_mask", "with_mask"]
    for test in (gradients, arguments):
        logs(test)
    assert asks.ran[3:] == ["gradients", "gradients", "arguments", "arguments"]
