"""What is promised of the box, P1 to P16: where each is shown, and what is shown here alone."""

from __future__ import annotations

import ast
import contextlib
import os
import pickle
import random
import re
import struct
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from grader.document import dump, for_student, to_document
from grader.engines.several import SeveralEngines
from grader.model.course import Limits
from grader.model.submission import Job
from grader.pipeline import grade
from grader.rpc.frames import FrameReader, numbered, pack
from grader.rpc.values import Encoder, ProtocolError
from grader.sandbox import SessionTimedOut
from grader.sandbox.conversation import PipeSession
from tests.contract.test_effects import LINUX, tasks_of, tried
from tests.contract.test_walls import has_namespaces, landlock_version
from tests.hostile.arena import attacks
from tests.hostile.course import RIGHT, STUB
from tests.hostile.test_hostile import FULL, SEED, Range, opened, settled, verdict

ROOT = Path(__file__).resolve().parents[2]
HOSTILE, EFFECTS, HERE = "hostile/test_hostile.py", "contract/test_effects.py", "hostile/test_promises.py"
SHOWN = {
    "P1 no marks": [f"{HOSTILE}::test_none_of_a_class_succeeds"],
    "P2 no neighbour": [f"{HERE}::test_right_code_beside_hostile_code_keeps_its_report"],
    "P3 no reading": [f"{EFFECTS}::test_no_file_of_ours_can_be_read_or_listed", f"{HOSTILE}::test_none_of_a_class_succeeds"],
    "P4 no network": [f"{EFFECTS}::test_nothing_is_reached_over_any_kind_of_socket"],
    "P5 no writing": [f"{EFFECTS}::test_nothing_is_written_anywhere"],
    "P6 no process": [f"{EFFECTS}::test_nothing_outlives_the_session", f"{EFFECTS}::test_no_process_is_started_and_none_is_signalled"],
    "P7 limits": [f"{HERE}::test_a_hog_stays_within_its_memory", f"{HERE}::test_a_loop_costs_its_limits_and_no_more"],
    "P8 frames": [f"{HERE}::test_a_hundred_thousand_broken_frames_are_taken_or_refused", "rpc/test_values.py::test_random_bytes_are_refused_or_incomplete"],
    "P9 no pickles": [f"{HERE}::test_nothing_is_unpickled_on_our_side", f"{HERE}::test_no_line_of_ours_unpickles"],
    "P10 wrong answers": ["test_lifeless.py::test_a_wrapped_variant_has_the_right_shapes_and_types_and_no_right_value", f"{HERE}::test_a_wrong_answer_earns_nothing"],
    "P11 hidden inputs": ["test_two_seeds.py::test_no_hidden_input_reaches_the_student_s_form"],
    "P12 inert reports": ["reports/test_inert.py::test_any_text_is_inert_in_every_format"],
    "P13 missing walls": [f"{EFFECTS}::test_without_enough_walls_no_worker_is_given_out", f"{EFFECTS}::test_a_missing_wall_ends_with_exit_code_3_and_not_a_byte_of_a_submission_runs"],
    "P14 root": ["contract/test_walls.py::test_root_becomes_a_user_that_nobody_is_and_never_comes_back", f"{HERE}::test_a_worker_has_no_right_of_root"],
    "P15 same verdict": [f"{HERE}::test_fewer_walls_come_to_the_same_report", f"{HOSTILE}::test_none_of_a_class_succeeds"],
    "P16 threads after forks": [f"{HERE}::test_the_hundredth_worker_may_use_two_threads"],
}  # fmt: skip


@pytest.mark.parametrize("promise", SHOWN)
def test_every_promise_is_shown_somewhere(promise: str) -> None:
    for name in SHOWN[promise]:
        path, _, test = name.partition("::")
        tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
        assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.fixture(scope="module")
def place() -> Iterator[Range]:
    yield from opened({})


@LINUX
def test_right_code_beside_hostile_code_keeps_its_report(place: Range) -> None:
    """P2: two desks at once; one grades hostile code all the while."""
    alone = dump(settled(place.grade(RIGHT)))
    hostile = [a for a in attacks() if a.group in ("verdict", "snooping") or a.wins == "neighbour"]
    with tempfile.TemporaryDirectory() as name:
        jobs = []
        for number, attack in enumerate(hostile[::3]):
            for kind, text in (("right", RIGHT), ("hostile", attack.text)):
                path = Path(name) / f"{kind}{number}" / "mix.py"
                path.parent.mkdir()
                path.write_text(text, encoding="utf-8")
                jobs.append(Job(str(path), "mix", SEED, submission_id=f"{kind}{number}"))
        other = opened({})
        try:
            engines = [_AtADesk(place, "right"), _AtADesk(next(other), "hostile")]
            with SeveralEngines(engines) as both:
                told = list(both.map(jobs))
        finally:
            other.close()
    seen = [dump(settled(document)) for job, document in told if job.submission_id.startswith("right")]
    assert seen == [alone] * len(hostile[::3])
    assert {engine.done for engine in engines} != {0}


KINDS = {
    "right": RIGHT,
    "untouched": STUB,
    "wrong": RIGHT.replace("tanh", "sigmoid"),
    "cut off": RIGHT.replace("return x *", "return x.detach() *"),
    "of another shape": RIGHT.replace("return ", "return torch.ones(7) @ "),
    "raises": "def mix(x, y):\n    raise ValueError(x.shape)\n",
    "changes its inputs": RIGHT.replace("    return ", "    y.mul_(2)\n    return "),
    "prints": "print('loaded')\n" + RIGHT.replace("    return ", "    print(x)\n    return "),
    "ends": "import os\ndef mix(x, y):\n    os._exit(3)\n",
}


@LINUX
@pytest.mark.skipif(not (has_namespaces() and landlock_version()), reason="one kind of walls alone is to be had here")
@pytest.mark.parametrize("wall", ["landlock", "namespaces"])
def test_fewer_walls_come_to_the_same_report(place: Range, wall: str) -> None:
    """P15: a machine that gives namespaces and one that does not agree to the byte; hostile code's own words apart."""
    other = opened({"leave_out": {wall}})
    try:
        elsewhere = next(other)
        assert wall in place.sandbox.isolation.walls and wall not in elsewhere.sandbox.isolation.walls
        for name, text in KINDS.items():
            one, two = (dump(settled(each.grade(text))) for each in (place, elsewhere))
            assert one == two, name
        assert len({dump(settled(place.grade(text))) for text in KINDS.values()}) == len(KINDS)
        for attack in attacks()[::13]:
            if attack.group not in ("limits", "outside"):
                assert verdict(place.grade(attack.text)) == verdict(elsewhere.grade(attack.text)), attack.name
    finally:
        other.close()


class _AtADesk:
    """An engine over one desk. Each takes what is next, so right and hostile code change places all the time."""

    def __init__(self, place: Range, name: str) -> None:
        self._place, self.name, self.done = place, name, 0

    def map(self, jobs: Any) -> Iterator[tuple[Job, dict[str, Any]]]:
        for job in jobs:
            self.done += 1
            yield job, self._place.desk.grade(job)

    def close(self) -> None:
        """The desk is the fixture's."""


@LINUX
def test_a_loop_costs_its_limits_and_no_more(place: Range, monkeypatch: pytest.MonkeyPatch) -> None:
    """P7: counted by the limits that struck, as they would be with the defaults; loading and both runs."""
    limits, struck = Limits(), []
    ours = {0.6: limits.call_s, 0.1: limits.call_again_s}
    plain = PipeSession.answer

    def noted(self: PipeSession, number: int, limit_s: float, *more: Any) -> Any:
        try:
            return plain(self, number, limit_s, *more)
        except SessionTimedOut:
            struck.append(ours[round(limit_s, 3)])
            raise

    monkeypatch.setattr(PipeSession, "answer", noted)
    document = place.grade("def mix(x, y):\n    while True: pass\n")
    assert {test["outcome"] for test in document["tests"]} == {"timed_out"}
    assert limits.call_s in struck and sum(struck) <= 15


def with_patience(place: Range, text: str) -> dict[str, Any]:
    """Graded with time enough for a busy machine: what ends it is another limit."""
    exercise = place.desk.exercise("mix")
    limits = replace(exercise.assignment.limits, call_s=20.0, submission_s=60.0)
    patient = replace(exercise, assignment=replace(exercise.assignment, limits=limits))
    job = Job(str(place.arena.put(text)), "mix", SEED)
    return to_document(grade(job, place.desk._course, patient, place.sandbox))


@LINUX
def test_a_hog_stays_within_its_memory(place: Range) -> None:
    """P7: what is held in memory, looked at from outside while it is taken."""
    peak, done = [0], threading.Event()

    def look() -> None:
        while not done.wait(0.002):
            with contextlib.suppress(OSError):  # whoever is looked at may end meanwhile
                for pid in set(tasks_of(place.sandbox)) - place.own:
                    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
                    peak[0] = max(peak[0], int(found[1]) >> 10 if found else 0)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        document = with_patience(
            place, "kept = []\ndef mix(x, y):\n    while True: kept.append(bytearray(b'x') * (1 << 22))\n"
        )
    finally:
        done.set()
        watcher.join()
    assert "out_of_memory" in {test["outcome"] for test in document["tests"]}
    zygote = int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{min(place.own)}/status").read_text())[1]) >> 10  # type: ignore[index]
    assert 64 < peak[0] <= 1.1 * (zygote + 256)


def test_a_hundred_thousand_broken_frames_are_taken_or_refused() -> None:
    """P8: random and changed frames. Nothing but a ``ProtocolError``, and nothing kept of what was refused."""
    chance = random.Random(8)
    encoder = Encoder()
    good = numbered(1, pack({"reply": encoder.encode((torch.ones(2, 2), {"a": [1.5, "x", np.ones(2)]}))}, encoder))
    ends = {"value": 0, "refused": 0, "incomplete": 0}
    for number in range(100_000):
        data = bytearray(good)
        if number % 4 == 0:
            body = chance.randbytes(chance.randrange(40))
            data = bytearray(struct.pack("<III", 1, len(body), 0) + body)
        for _ in range(chance.randrange(1, 5)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        ends[_taken(bytes(data))] += 1
    assert sum(ends.values()) == 100_000 and min(ends.values()) > 100


def _taken(data: bytes) -> str:
    reader = FrameReader(1 << 14, header_cap=1 << 14)
    reader.feed(data)
    try:
        frame = reader.next()
        if frame is None:
            return "incomplete"
        frame.decoder().decode(frame.header.get("reply"))
    except ProtocolError:
        return "refused"
    return "value"


@LINUX
def test_nothing_is_unpickled_on_our_side(place: Range, monkeypatch: pytest.MonkeyPatch) -> None:
    """P9: every door to a pickle is closed here, and grading goes on as ever."""

    def closed(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was unpickled")

    for owner, name in ((pickle, "loads"), (pickle, "load"), (pickle, "Unpickler"), (torch, "load"), (np, "load")):
        monkeypatch.setattr(owner, name, closed)
    assert place.grade(RIGHT)["score"] == FULL
    for attack in (a for a in attacks() if a.group == "protocol" and "pickle" in a.name):
        document = place.grade(attack.text)
        assert document["status"] != "grader_fault" and "unpickled" not in dump(document)


def test_no_line_of_ours_unpickles() -> None:
    """P9: no module of the grader imports what could."""
    found = set()
    for path in (ROOT / "grader").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if {name.split(".")[0] for name in names} & {
                "pickle",
                "dill",
                "cloudpickle",
                "shelve",
                "marshal",
                "joblib",
            }:
                found.add(path.name)
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("torch.load", "np.load", "numpy.load"):
                found.add(path.name)
    assert found == set()


WRONG = {
    "zeros": "x * 0", "ones": "x * 0 + 1", "nan": "x * float('nan')", "infinity": "x.abs() * float('inf')",
    "empty": "x[:0]", "scalar": "x.sum()", "transposed": "(x * y.tanh() + y).mT", "first": "x", "second": "y",
    "uniform": "x * 0 + 0.25", "no tanh": "x * y + y", "no sum": "x * y.tanh()", "a list": "(x * y.tanh() + y).tolist()",
    "too many axes": "(x * y.tanh() + y)[None]", "half": "(x * y.tanh() + y).half()", "nearly": "x * y.tanh() + y + 1e-3",
}  # fmt: skip


@LINUX
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_earns_nothing(name: str, place: Range) -> None:
    """P10, by way of the box: the comparisons fail each."""
    document = place.grade(f"def mix(x, y): return {WRONG[name]}\n")
    assert document["score"] == 0.0, [(t["id"], t["outcome"]) for t in document["tests"]]


@LINUX
def test_what_hidden_code_prints_and_raises_is_not_in_the_student_s_form(place: Range) -> None:
    """P11: rare numbers of the hidden run stand in the staff form (so they would show) and not in the student's."""
    document = place.grade("def mix(x, y):\n    print(x.tolist())\n    raise ValueError(str(y.tolist()))\n")
    numbers = re.findall(r"-?\d\.\d{9,}", document["output"]["stdout"])
    assert len(numbers) > 20
    student = dump(for_student(document))
    assert [n for n in numbers if n in student] == []


@LINUX
@pytest.mark.skipif(os.getuid() != 0, reason="there is no root to lose")
def test_a_worker_has_no_right_of_root(place: Range) -> None:
    """P14: no capability is left, and the limit on threads holds."""
    body = (
        "threading.stack_size(128 << 10)\n    go, count = threading.Event(), 0\n"
        "    try:\n        for _ in range(200): threading.Thread(target=go.wait, daemon=True).start(); count += 1\n"
        "    except RuntimeError: pass\n    go.set()\n    return [count, os.getuid(), error(os.setuid, 0), error(os.setgid, 0)]"
    )
    count, uid, user, group = tried(place.sandbox, body)
    assert 1 <= count < 100
    assert uid != 0 and user == group == "PermissionError"


@LINUX
def test_the_hundredth_worker_may_use_two_threads(place: Range) -> None:
    """P16: and the zygote has no more threads than it began with."""
    (zygote,) = place.own or {place.sandbox.pid}
    before = len(os.listdir(f"/proc/{zygote}/task"))
    for _ in range(100):
        place.sandbox.open(Limits()).close()
    body = "torch.set_num_threads(2); a = torch.randn(700, 700, requires_grad=True); (a @ a).sum().backward(); return a.grad.shape[0]"
    assert tried(place.sandbox, body) == 700
    assert len(os.listdir(f"/proc/{zygote}/task")) == before <= 2


@LINUX
def test_the_stub_still_earns_nothing_and_right_code_everything(place: Range) -> None:
    assert [place.grade(text)["score"] for text in (STUB, RIGHT)] == [0.0, FULL]
