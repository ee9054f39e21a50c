"""Which definition of a required name counts, and what is said of the others."""

from __future__ import annotations

import pytest

from tests.worker.loading import REAL, STUB, cells, run

SCORES_STUB = "def scores(q, k):\n    raise NotImplementedError('TODO')\n"


def test_the_last_definition_counts() -> None:
    load = run("def scores(q, k):\n    return 1\n\ndef scores(q, k):\n    return 2\n")
    assert load["scores"](0, 0) == 2
    assert load.definition()["line"] == 4
    assert load.flag_kinds == []


def test_the_untouched_stub_is_no_attempt() -> None:
    load = run(STUB.replace("from torch import Tensor, nn", "class nn:\n    class Module: pass\nTensor = int"),
               names=("scores", "Heads"))  # fmt: skip
    assert (load.state("scores"), load.state("Heads")) == ("stub", "stub")


@pytest.mark.parametrize(
    "body",
    ["pass", "...", "'''Only words.'''", "raise NotImplementedError",
     "'''Words.'''\n    raise NotImplementedError('x')",
     "d = q.shape[-1]\n    raise NotImplementedError('TODO: scores')"],
)  # fmt: skip
def test_empty_bodies_and_the_handed_out_body_are_stubs(body: str) -> None:
    assert run(f"def scores(q, k):\n    {body}\n").state() == "stub"


@pytest.mark.parametrize(
    "body", ["return None", "d = q.shape[-1]\n    return d", "raise ValueError('x')", "print('pass')"]
)
def test_anything_else_is_an_attempt(body: str) -> None:
    assert run(f"def scores(q, k):\n    {body}\n").state() == "present"


def test_annotations_docstring_and_decorators_do_not_make_an_attempt() -> None:
    source = "import functools\n@functools.cache\ndef scores(q: int, k: int) -> int:\n    '''New words.'''\n"
    body = "    d = q.shape[-1]\n    raise NotImplementedError('TODO: scores')\n"
    assert run(source + body).state() == "stub"


def test_a_class_with_only_empty_methods_is_a_stub() -> None:
    source = (
        "class Heads:\n    def __init__(self):\n        super().__init__()\n    def forward(self, x):\n        pass\n"
    )
    assert run(source, names=("Heads",)).state("Heads") == "stub"


def test_a_class_that_inherits_its_work_is_an_attempt() -> None:
    source = "class Base:\n    def forward(self, x):\n        return x\nclass Heads(Base):\n    pass\n"
    load = run(source, names=("Heads",))
    assert (load.state("Heads"), load.definition("Heads")["line"]) == ("present", 4)


def test_a_half_written_class_is_an_attempt() -> None:
    source = "class Heads:\n    def __init__(self):\n        self.w = 1\n    def forward(self):\n        pass\n"
    assert run(source, names=("Heads",)).state("Heads") == "present"


def test_a_stub_left_after_the_solution_does_not_count() -> None:
    load = run(REAL + "\n" + SCORES_STUB)
    assert load["scores"](1, 2) == 3
    assert (load.state(), load.definition()["line"]) == ("present", 1)
    assert load.flag_kinds == ["stub_after_solution"]


def test_a_stub_cell_run_again_does_not_count() -> None:
    load = cells(REAL, SCORES_STUB)
    assert load["scores"](1, 2) == 3
    assert load.definition()["cell"] == 1


def test_a_definition_is_put_back_where_its_name_was_given_to_a_value() -> None:
    load = run(REAL + "scores = scores(1, 2)\n")
    assert load["scores"](1, 2) == 3
    assert load.state() == "present"
    flag = load.result.flags[0]
    assert (flag["kind"], flag["line"]) == ("name_rebound", 3)


def test_a_value_that_hides_its_class_does_not_hinder() -> None:
    lying = "class Liar(type):\n    def __getattribute__(cls, name):\n        raise SystemExit\n"
    load = run(f"{REAL}{lying}class Odd(metaclass=Liar): pass\nscores = Odd()\n")
    assert load["scores"](1, 2) == 3
    assert "class Odd" in load.result.flags[0]["detail"]


def test_a_deleted_definition_is_put_back() -> None:
    load = run(REAL + "del scores\n")
    assert load["scores"](1, 2) == 3
    assert load.flag_kinds == ["name_rebound"]


def test_a_solution_a_stub_and_a_value_under_one_name() -> None:
    load = run(REAL + SCORES_STUB + "scores = [1]\n")
    assert load["scores"](1, 2) == 3
    assert set(load.flag_kinds) == {"name_rebound", "stub_after_solution"}


def test_a_name_that_is_never_callable_is_said_to_be_so() -> None:
    load = run("x = 1\nscores = 5\n")
    assert (load.state(), load.definition()["line"]) == ("not_callable", 2)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("scores = lambda q, k: q + k\n", 1),
        ("from functools import partial\ndef add(q, k, more):\n    return q + k\nscores = partial(add, more=1)\n", 4),
        ("def make():\n    def inner(q, k):\n        return q + k\n    return inner\nscores = make()\n", 2),
        ("class Adder:\n    def __call__(self, q, k):\n        return q + k\n\nscores = Adder()\n", 5),
        ("import operator\nscores = operator.add\n", 2),
        ("class scores:\n    def __new__(cls, q, k):\n        return q + k\n", 1),
        ("def twice(f):\n    def inner(*a):\n        return f(*a)\n    return inner\n@twice\n" + REAL, 6),
        ("import functools\n@functools.lru_cache\n" + REAL, 3),
        ("if True:\n    def scores(q, k):\n        return q + k\nelse:\n    def scores(q, k):\n        return 0\n", 2),
        ("try:\n    import nothing_like_it\nexcept ImportError:\n    def scores(q, k):\n        return q + k\n", 4),
        ("import contextlib\nwith contextlib.nullcontext():\n    def scores(q, k):\n        return q + k\n", 3),
        ("for _ in range(2):\n    def scores(q, k):\n        return q + k\n", 2),
        ("def add(q, k):\n    return q + k\nscores = add\n", 1),
        ("globals()['scores'] = lambda q, k: q + k\n", 1),
    ],
)
def test_any_callable_counts_and_is_found(source: str, line: int) -> None:
    load = run(source)
    assert load["scores"](1, 2) == 3
    assert (load.state(), load.definition()["line"]) == ("present", line)
    assert load.remark_kinds == []


def test_a_star_import_brings_definitions() -> None:
    load = run("from helpers import *\n", modules={"helpers": "x = 1\n" + REAL})
    assert (load.state(), load.definition()["file"], load.definition()["line"]) == ("present", "helpers.py", 2)


def test_an_imported_stub_is_no_attempt() -> None:
    load = run("from helpers import scores\n", modules={"helpers": SCORES_STUB})
    assert load.state() == "stub"


def test_an_alias_counts_for_a_missing_name() -> None:
    load = run("def weighted(q, k):\n    return 9\n", aliases=("weighted",))
    assert load["scores"](0, 0) == 9
    assert load.definition()["bound_as"] == "weighted"


def test_an_alias_counts_beside_the_untouched_stub() -> None:
    load = run("def weighted(q, k):\n    return 9\n" + SCORES_STUB, aliases=("weighted",))
    assert (load["scores"](0, 0), load.state()) == (9, "present")


def test_an_alias_imported_from_a_library_is_not_the_students() -> None:
    load = run("from math import sqrt\n", aliases=("sqrt",))
    assert load.state() == "missing"


def test_the_required_name_goes_before_an_alias() -> None:
    load = run(REAL + "def weighted(q, k):\n    return 9\n", aliases=("weighted",))
    assert load["scores"](1, 2) == 3
    assert load.definition()["bound_as"] == ""


def test_a_definition_under_a_condition_that_did_not_hold_is_pointed_at() -> None:
    load = run("if __name__ == '__main__':\n    def scores(q, k):\n        return 1\n")
    assert load.state() == "missing"
    assert load.remark("never_ran")["line"] == 2


LIAR = """
class Liar(type):
    def __getattribute__(cls, name):
        raise SystemExit
class scores(metaclass=Liar):
    def __init__(self, q, k):
        self.q = q
"""
WALL = """
class Wall:
    def __getattribute__(self, name):
        raise KeyboardInterrupt
    def __eq__(self, other):
        raise KeyboardInterrupt
    def __call__(self, q, k):
        return 1
scores = Wall()
"""
ENDLESS = """
class Endless:
    def __call__(self, q, k):
        return 1
    @property
    def __wrapped__(self):
        return self
scores = Endless()
"""
FALSE_ORIGIN = """
import sys, types
try:
    import broken
except SyntaxError:
    sys.modules["broken"] = types.ModuleType("broken")
    sys.modules["broken"].__file__ = "broken.py"
class Real:
    def __init__(self, q, k):
        self.q = q
Real.__module__ = "broken"
scores = Real
"""


@pytest.mark.parametrize("source", [LIAR, WALL, ENDLESS, FALSE_ORIGIN])
def test_objects_that_lie_or_raise_are_survived(source: str) -> None:
    load = run(source, modules={"broken": "def broken(:"})
    assert load.state() == "present"
    assert load.remark_kinds == []


def test_a_solution_written_into_the_handed_out_file_itself_is_no_stub() -> None:
    load = run(REAL, stub=REAL)
    assert load.state() == "present"
    assert run(STUB, stub=STUB).state() == "stub"


FORWARD = "def forward(self, x):\n    return x\n"


@pytest.mark.parametrize("put", ["Heads.forward = forward", "setattr(Heads, 'forward', forward)"])
def test_a_stub_whose_methods_are_put_in_later_is_an_attempt(put: str) -> None:
    load = run("class Heads:\n    def forward(self, x):\n        raise NotImplementedError\n\n" + FORWARD + put,
               names=("Heads",))  # fmt: skip
    assert load.state("Heads") == "present"
    assert load.definition("Heads")["line"] == 1


def test_a_stub_with_a_stub_put_in_is_none() -> None:
    source = "class Heads:\n    pass\n\ndef forward(self, x):\n    raise NotImplementedError\n\nHeads.forward = forward"
    assert run(source, names=("Heads",)).state("Heads") == "stub"


@pytest.mark.parametrize("taking", ["from operator import add as scores", "import operator\nscores = operator.add"])
def test_a_name_later_taken_from_a_library_leaves_the_definition_in_place(taking: str) -> None:
    load = run(REAL + taking)
    assert load["scores"](1, 2) == 3
    assert (load.definition()["line"], load.flag_kinds) == (1, ["name_rebound"])


def test_what_a_library_has_counts_where_nothing_else_does() -> None:
    assert run("import operator\nscores = operator.add").state() == "present"
