"""What every sandbox backend promises, whatever walls it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from grader.model.course import Limits
from grader.rpc.frames import pack
from grader.rpc.values import Encoder
from grader.sandbox import Sandbox, Session, SessionEnded, SessionTimedOut
from grader.sandbox.forked import ForkSandbox
from grader.sandbox.zygote import ZygoteSandbox

BACKENDS = {"fork": ForkSandbox, "zygote": lambda: ZygoteSandbox({})}
LIMITS = Limits(memory_mib=512, output_kib=4, frame_mib=1)


@pytest.fixture(scope="module", params=sorted(BACKENDS))
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    backend = BACKENDS[request.param]()
    yield backend
    backend.close()


def opened(sandbox: Sandbox, source: str) -> Session:
    session = sandbox.open(LIMITS)
    ask(session, load_question(source))
    return session


def load_question(source: str) -> dict[str, Any]:
    return {
        "op": "load",
        "chunks": [{"source": source, "file": "work.py", "line": 1, "cell": None}],
        "modules": {},
        "module_name": "work",
        "required": [{"name": "f", "aliases": [], "stub": ""}],
        "skip": {},
        "forbidden": [],
    }


def ask(session: Session, header: dict[str, Any], limit_s: float = 20.0) -> Any:
    return session.answer(session.send(pack(header)), limit_s)


def call_header(*args: object, encoder: Encoder | None = None) -> dict[str, Any]:
    encoder = encoder or Encoder()
    return {
        "op": "call", "name": "f", "args": {"t": [encoder.encode(a) for a in args]}, "kwargs": {"d": []},
        "graph": None, "watch": False, "hold": None,
    }  # fmt: skip


def answered(session: Session, number: int, limit_s: float = 20.0) -> Any:
    frame = session.answer(number, limit_s)
    return frame.header.get("raised") or frame.decoder().decode(frame.header["reply"])


def call(session: Session, *args: object, limit_s: float = 20.0) -> Any:
    encoder = Encoder()
    return answered(session, session.send(pack(call_header(*args, encoder=encoder), encoder)), limit_s)


def test_a_question_gets_its_answer(sandbox: Sandbox) -> None:
    session = opened(sandbox, "def f(x): return x + 1")
    assert [call(session, n) for n in range(3)] == [1, 2, 3]
    session.close()


def test_each_worker_is_fresh(sandbox: Sandbox) -> None:
    for _ in range(2):
        session = opened(
            sandbox, "import torch\ntorch.seen = getattr(torch, 'seen', 0) + 1\ndef f(): return torch.seen"
        )
        assert call(session) == 1
        session.close()


def test_a_loop_that_never_ends_is_cut_off(sandbox: Sandbox) -> None:
    session = opened(sandbox, "def f():\n    while True: pass")
    with pytest.raises(SessionTimedOut):
        call(session, limit_s=0.2)
    with pytest.raises(SessionEnded):
        call(session)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("import os; os._exit(0)", "exit code 0"),
        ("import os; os._exit(3)", "exit code 3"),
        ("import ctypes; ctypes.string_at(0)", "segmentation fault"),
        ("import os; os.abort()", "an abort"),
        ("import os; [os.close(fd) for fd in range(3, 64) if fd_open(fd)]", "ended"),
    ],
)
def test_an_end_of_the_process_is_told_apart(sandbox: Sandbox, body: str, words: str) -> None:
    session = opened(
        sandbox,
        f"def fd_open(fd):\n    import os\n    try: os.fstat(fd); return True\n    except OSError: return False\ndef f(): {body}",
    )
    with pytest.raises(SessionEnded, match=words):
        call(session)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("import sys; sys.exit()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("return f()", "RecursionError"),
        ("return input('?')", "NoInput"),
    ],
)
def test_what_is_raised_is_an_answer(sandbox: Sandbox, body: str, kind: str) -> None:
    session = opened(sandbox, f"def f(): {body}")
    assert call(session)["kinds"][0] == kind
    session.close()


def test_a_huge_allocation_fails_and_the_worker_lives(sandbox: Sandbox) -> None:
    session = opened(sandbox, "import torch\ndef f(n): return float(torch.zeros(n)[0]) if n > 9 else n")
    assert call(session, 1 << 34)["memory"] is True
    assert call(session, 5) == 5
    session.close()


def test_a_flood_of_prints_is_kept_in_head_and_tail(sandbox: Sandbox) -> None:
    session = opened(
        sandbox, "def f():\n    print('first')\n    print('x' * 3_000_000)\n    print('last')\n    return 1"
    )
    assert call(session) == 1
    output = session.output()
    session.close()
    assert output.truncated and len(output.stdout) < 3 * 4096
    assert output.stdout.startswith("first") and output.stdout.rstrip().endswith("last")


def test_a_result_over_the_frame_limit_ends_the_worker(sandbox: Sandbox) -> None:
    session = opened(sandbox, "import torch\ndef f(): return torch.zeros(1 << 18, dtype=torch.float64)")
    with pytest.raises(SessionEnded, match="over its size limit"):
        call(session)


def test_bytes_written_behind_our_back_break_the_protocol(sandbox: Sandbox) -> None:
    forge = "import os\ndef f():\n    for fd in range(3, 64):\n        try: os.write(fd, b'\\x00' * 64)\n        except OSError: pass\n    return 1"
    session = opened(sandbox, forge)
    with pytest.raises(SessionEnded):
        call(session)


def test_an_answer_to_another_question_is_refused(sandbox: Sandbox) -> None:
    forge = (
        "import os, struct\ndef f():\n    body = b'{\"reply\": 42}'\n"
        "    for fd in range(3, 64):\n        try: os.write(fd, struct.pack('<III', 99, len(body), 0) + body)\n"
        "        except OSError: pass\n    return 1"
    )
    session = opened(sandbox, forge)
    with pytest.raises(SessionEnded, match="nobody asked"):
        call(session)


def test_the_worker_cannot_import_the_grader_s_surroundings(sandbox: Sandbox) -> None:
    source = "def f():\n    import importlib.util as u\n    return [u.find_spec(n) is not None for n in ('reference', 'assignments', 'tests')]"
    session = opened(sandbox, source)
    assert call(session)[:2] == [False, False]
    session.close()


def test_no_file_can_be_written(sandbox: Sandbox, tmp_path: Any) -> None:
    target = tmp_path / "left_behind"
    session = opened(sandbox, "def f(p):\n    with open(p, 'w') as out: out.write('x')")
    call(session, str(target))
    session.close()
    assert not target.exists() or target.read_text() == ""


def test_questions_sent_together_are_answered_in_order_and_unwanted_answers_are_passed_over(sandbox: Sandbox) -> None:
    session = opened(sandbox, "seen = []\ndef f(x):\n    seen.append(x)\n    return list(seen)")
    numbers = [session.send(pack(call_header(n))) for n in range(4)]
    assert [answered(session, numbers[n]) for n in (1, 3)] == [[0, 1], [0, 1, 2, 3]]
    session.close()


@pytest.mark.parametrize(
    ("source", "ending"), [("import os; os._exit(3)", SessionEnded), ("while True: pass", SessionTimedOut)]
)
def test_an_ending_names_the_question_it_was_at(sandbox: Sandbox, source: str, ending: type[Any]) -> None:
    session = opened(sandbox, f"def f(x):\n    if x == 1:\n        {source}\n    return x")
    numbers = [session.send(pack(call_header(n))) for n in range(3)]
    with pytest.raises(ending) as ended:
        session.answer(numbers[2], 1.0)
    assert ended.value.number == numbers[1]
