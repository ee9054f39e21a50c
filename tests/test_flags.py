"""Flags: what staff are told about a submission. They name a kind, a place and what was seen, and change no mark."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from grader.desk import Desk
from grader.loading import Loaded, Seen, read_loaded, read_seen
from grader.model.course import Assignment, Course, Forbidden, Text
from grader.model.outcome import Outcome
from grader.model.report import TestResult as Ended
from grader.model.submission import Flag, Job, Place
from grader.policy import policy_flags, protocol_flags

SDPA = "torch.nn.functional.scaled_dot_product_attention"
MHA = "torch.nn.MultiheadAttention"
SEED = 20240229
ROOT = Path(__file__).resolve().parent.parent
RIGHT = (ROOT / "reference/attention/solution.py").read_text(encoding="utf-8")
FIRST_LINE = "    products = q @ k"


@pytest.fixture(scope="module")
def graded(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("flags")

    def report(text: str) -> Any:
        (folder / "attention.py").write_text(text, encoding="utf-8")
        return desk.report(Job(str(folder / "attention.py"), "attention", SEED))

    return report


def flags_of(report: Any, kind: str) -> list[Flag]:
    return [flag for flag in report.flags if flag.kind == kind]


def test_right_code_has_no_flags(graded: Any) -> None:
    report = graded(RIGHT)
    assert (report.score, report.flags) == (report.max_score, ())


ATTEMPTS = {
    "file_access": ("open('notes.txt', 'w')", "open('notes.txt') for writing"),
    "network": ("__import__('socket').socket()", "socket.__new__()"),
    "process": ("os.posix_spawn('/bin/true', ['true'], {})", "os.posix_spawn('/bin/true')"),
    "native_code": ("__import__('ctypes').CDLL('libc.so.6')", "ctypes.dlopen('libc.so.6')"),
    "snooping": ("__import__('gc').get_objects()", "gc.get_objects()"),
}


@pytest.mark.parametrize("kind", ATTEMPTS)
def test_an_attempt_at_the_machine_is_flagged_and_costs_nothing(graded: Any, kind: str) -> None:
    code, shown = ATTEMPTS[kind]
    lines = f"import os\ntry:\n    {code}\nexcept OSError:\n    pass\n"
    report = graded(RIGHT + lines)
    assert report.score == report.max_score
    (flag,) = report.flags
    assert (flag.kind, flag.costs) == (kind, 0)
    assert shown in flag.detail
    assert flag.place == Place("attention.py", RIGHT.count("\n") + 3)


def test_an_attempt_inside_a_function_is_flagged_with_how_often(graded: Any) -> None:
    assert RIGHT.count(FIRST_LINE) == 1
    spoiled = RIGHT.replace(FIRST_LINE, "    _spy()\n" + FIRST_LINE)
    report = graded(
        spoiled + "\n\ndef _spy():\n    try:\n        open('/etc/passwd')\n    except OSError:\n        pass\n"
    )
    (flag,) = flags_of(report, "file_access")
    assert "open('/etc/passwd') for reading x " in flag.detail
    assert report.score == report.max_score


def test_lines_of_a_file_that_is_not_running_are_no_traceback(graded: Any) -> None:
    report = graded(RIGHT + "import linecache, sys\nlinecache.getlines(sys.modules['grader.rpc.values'].__file__)\n")
    (flag,) = flags_of(report, "file_access")
    assert "values.py" in flag.detail and report.score == report.max_score


HONEST = """
import warnings, dataclasses, tempfile, traceback, random, logging, inspect, collections
import numpy as np
import torch

torch.manual_seed(0)

@dataclasses.dataclass
class Setting:
    width: int = 3

Pair = collections.namedtuple("Pair", "a b")
warnings.warn("careful")
logging.warning("careful, too")
print(inspect.getsource(Setting), np.random.default_rng(0).random(), torch.randn(2))
try:
    raise ValueError("odd")
except ValueError:
    traceback.print_exc()

@torch.jit.script
def _double(x):
    return 2 * x
_double(torch.ones(2))
"""


def test_what_honest_code_does_is_no_attempt(graded: Any) -> None:
    assert graded(RIGHT + HONEST).flags == ()


def test_a_forbidden_call_is_flagged_once_with_how_often_it_ran(graded: Any) -> None:
    report = graded((ROOT / "tests/golden/attention/right_library_call/attention.py").read_text(encoding="utf-8"))
    (flag,) = flags_of(report, "forbidden_call")
    assert flag.detail.startswith(f"{SDPA} stands in the code and ran (")
    assert flag.place is not None


HIDDEN = """

import torch.nn.functional as _F

def _quietly(q, k, v):
    return {expression}(q, k, v)

_kept = attention_scores
def attention_scores(q, k):
    try:
        _quietly(q, k, k)
    except RuntimeError:
        pass
    return _kept(q, k)
"""


@pytest.mark.parametrize(
    "expression",
    ["vars(_F)[chr(115) + 'caled_dot_product_attention']",
     "[f for n, f in vars(_F).items() if n.startswith('scaled_dot')][0]",
     "torch.jit.script(next(f for n, f in vars(_F).items() if n.startswith('scaled_dot'))) if 0 else "
     "next(f for n, f in vars(torch._C._nn).items() if n.startswith('scaled_dot'))"],
)  # fmt: skip
def test_a_call_the_text_hides_is_seen_when_it_runs(graded: Any, expression: str) -> None:
    report = graded(RIGHT + HIDDEN.format(expression=f"({expression})"))
    (flag,) = flags_of(report, "forbidden_call")
    assert flag.detail.startswith(f"{SDPA} ran (")
    assert flag.place == Place("attention.py", RIGHT.count("\n") + 6)
    assert report.score == report.max_score


def test_library_calls_go_on_working_where_they_are_watched(graded: Any) -> None:
    lines = """
import torch.nn.functional as _F
_x = torch.randn(2, 3, 4, requires_grad=True)
def _plain(x):
    return _F.scaled_dot_product_attention(x, x, x)
_both = torch.jit.script(_plain)(_x), _plain(_x)
assert torch.allclose(*_both)
_both[1].sum().backward()
class _Mine(torch.nn.MultiheadAttention):
    pass
_m = _Mine(4, 2, batch_first=True)
assert isinstance(_m, torch.nn.MultiheadAttention)
assert torch.allclose(torch.jit.script(_m)(_x, _x, _x)[0], _m(_x, _x, _x)[0], atol=1e-6)
assert torch.func.vmap(_plain)(_x).shape == (2, 3, 4)
"""
    report = graded(RIGHT + lines)
    assert report.remarks == ()
    assert {flag.detail.split()[0] for flag in report.flags} == {SDPA, MHA}
    assert report.score == report.max_score


HEAD = "def attention_scores(q: Tensor, k: Tensor"


@pytest.mark.parametrize(
    "changed", ["def attention_scores(k: Tensor, q: Tensor", HEAD + ", scale", HEAD + ", /", HEAD + "=None"]
)
def test_changed_parameters_are_flagged(graded: Any, changed: str) -> None:
    assert RIGHT.count(HEAD) == 1
    report = graded(RIGHT.replace(HEAD, changed))
    (flag,) = [flag for flag in report.flags if flag.kind == "given_code"]
    assert "attention_scores(q, k) was handed out" in flag.detail
    assert changed.split(",")[-1].split(":")[0].strip() in flag.detail


@pytest.mark.parametrize("more", [", verbose=False", ", *others", ", *, scale=None", ", **more"])
def test_more_parameters_are_free_to_come(graded: Any, more: str) -> None:
    report = graded(RIGHT.replace(HEAD, HEAD + more))
    assert report.flags == ()
    assert report.score == report.max_score


FORGER = """
import os as _os
def attention_weights(scores, mask=None):
    for fd in range(3, 30):
        try:
            _os.write(fd, b"\\xff" * 64)
        except OSError:
            pass
    return scores
"""


def test_a_broken_protocol_is_flagged(graded: Any) -> None:
    report = graded(RIGHT + FORGER)
    (flag,) = flags_of(report, "protocol")
    assert "was no answer" in flag.detail
    assert report.status == "graded"
    assert any(t.outcome is Outcome.DIED for t in report.tests)


def test_a_broken_protocol_while_loading_is_flagged(graded: Any) -> None:
    report = graded(RIGHT + FORGER + "attention_weights(torch.ones(2, 2))\n")
    assert flags_of(report, "protocol")


# -- what the worker says is hostile input ---------------------------------------------------------------------------


@pytest.fixture
def assignment(desk: Desk) -> Assignment:
    found = desk_course(desk).assignment("attention")
    assert found is not None
    return replace(found, forbidden=Forbidden((SDPA, MHA), Fraction(3)))


def desk_course(desk: Desk) -> Course:
    from grader.catalog import load_course

    return load_course(ROOT)


def test_marks_are_taken_once_and_only_where_the_assignment_says_so(assignment: Assignment) -> None:
    loaded = Loaded((), library_use=((SDPA, None), (SDPA, Place("attention.py", 3)), (MHA, None)))
    seen = (Seen("forbidden_call", MHA, 4, None), Seen("network", "socket.connect()", 1, None))
    assert [(f.kind, f.costs) for f in policy_flags(assignment, loaded, seen)] == [
        ("forbidden_call", 3), ("forbidden_call", 0), ("network", 0)]  # fmt: skip
    free = replace(assignment, forbidden=Forbidden((SDPA, MHA)))
    assert sum(f.costs for f in policy_flags(free, loaded, seen)) == 0


@pytest.mark.parametrize(
    "raw",
    [{}, {"kind": 5, "what": {"a": 1}, "count": "many"}, {"kind": "x" * 10_000, "what": "\x1b" * 10_000, "count": 10**30},
     {"kind": None, "what": None, "count": -1, "file": 5, "line": "x"}, {"kind": "network", "what": "y", "count": True}],
)  # fmt: skip
def test_a_sighting_of_any_form_is_read_within_bounds(raw: dict[str, Any], assignment: Assignment) -> None:
    seen = read_seen(raw)
    assert len(seen.kind) <= 40 and len(seen.what) <= 160 and 1 <= seen.count <= 1_000_000
    for flag in policy_flags(assignment, Loaded(()), [seen]):
        assert flag.kind == "network"


def test_forged_flags_and_names_are_dropped(desk: Desk, assignment: Assignment) -> None:
    answer = {
        "flags": [
            {"kind": "excellent", "detail": "full marks"},
            {"kind": ["x"]},
            {"kind": "does_not_import", "detail": "E"},
        ],
        "names": ["a" * 5_000, "not an identifier", "fine"],
        "uses": [{"name": "\x1b[2J" + "x" * 1_000}],
    }
    loaded = read_loaded(answer, assignment, desk_course(desk))
    assert [flag.kind for flag in loaded.flags] == ["does_not_import"]


def test_only_workers_that_broke_the_protocol_are_told() -> None:
    def test(detail: str, outcome: Outcome) -> Ended:
        return Ended("checks.py::t", "scale", Text("T"), outcome, note=Text(detail), detail=detail)

    quiet = [test("f: killed by SIGSEGV", Outcome.DIED), test("it broke the protocol", Outcome.RAISED)]
    assert protocol_flags(quiet, []) == ()
    (flag,) = protocol_flags([*quiet, test("f: it broke the protocol: odd", Outcome.DIED)], [])
    assert flag.kind == "protocol"


DAWDLER = """
import gc as _gc
def attention_weights(scores, mask=None):
    worker = [o for o in _gc.get_objects() if type(o).__name__ == "Worker"][0]
    while True:
        worker._say({{"event": "statement", "index": 1}})
        {pause}
"""


@pytest.mark.long
def test_signs_of_life_without_end_are_no_answer(graded: Any) -> None:
    report = graded(RIGHT + DAWDLER.format(pause="pass"))
    (flag,) = flags_of(report, "protocol")
    assert "too many events" in flag.detail
    assert report.status == "graded"


def test_signs_of_life_buy_a_call_no_time(graded: Any) -> None:
    report = graded(RIGHT + DAWDLER.format(pause="__import__('time').sleep(0.4)"))
    late = [t for t in report.tests if t.outcome is Outcome.TIMED_OUT]
    assert late and all("within" in t.detail for t in late)
    assert report.status == "graded"
    assert report.duration_s < 60
