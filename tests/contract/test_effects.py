"""What isolation comes to: nothing gets out of a worker, and where that cannot be proven nothing is run."""

from __future__ import annotations

import ast
import os
import select
import signal
import socket
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import load_course
from grader.cli import main
from grader.commands.exits import Exit
from grader.commands.ports import real_ports
from grader.desk import Desk
from grader.errors import WallMissing
from grader.model.course import Limits
from grader.model.submission import Job
from grader.sandbox.effects import EFFECTS, Proof, canaries, read_proof
from grader.sandbox.zygote import ZygoteSandbox
from tests.contract.test_sandbox import call, opened
from tests.contract.test_walls import has_namespaces, landlock_version

ROOT = Path(__file__).resolve().parents[2]
LINUX = pytest.mark.skipif(not (has_namespaces() or landlock_version()), reason="nothing here hides files")
IDS = {effect.id for effect in EFFECTS}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ZygoteSandbox]:
    found = ZygoteSandbox({}, guarded=[ROOT / "reference", ROOT / "assignments"])
    yield found
    found.close()


def tried(sandbox: ZygoteSandbox, body: str, *args: object) -> Any:
    """What student code comes back with; ``error`` gives the class of what is raised."""
    source = (
        "import ctypes, os, socket, sys, threading, time\nimport torch\n"
        "def error(call, *args):\n    try: call(*args)\n    except BaseException as e: return type(e).__name__\n    return 'done'\n"
        f"def f(*args):\n    {body}\n"
    )
    session = opened(sandbox, source)
    try:
        return call(session, *args)
    finally:
        session.close()


@LINUX
def test_here_every_effect_is_proven(sandbox: ZygoteSandbox) -> None:
    sandbox.ready()
    assert sandbox.isolation.level == "isolated"
    assert set(sandbox.isolation.effects) == IDS
    assert {"rlimits", "seccomp"} <= set(sandbox.isolation.walls)


@LINUX
def test_practice_is_never_called_isolated() -> None:
    sandbox = ZygoteSandbox({}, practice=True)
    try:
        sandbox.ready()
        assert sandbox.isolation.level == "practice"
    finally:
        sandbox.close()


@LINUX
def test_no_file_of_ours_can_be_read_or_listed(sandbox: ZygoteSandbox, tmp_path: Path) -> None:
    (tmp_path / "other_submission.py").write_text("answer = 42")
    tmp_path.chmod(0o755)
    secrets = ["reference/attention/checks.py", "assignments/course.yaml", "grader/scoring.py"]
    files = [
        *(str(ROOT / name) for name in secrets),
        str(tmp_path / "other_submission.py"),
        "/etc/passwd",
        "/etc/shadow",
    ]
    files += [f"/proc/{os.getpid()}/{name}" for name in ("environ", "mem", "maps")]
    folders = [str(ROOT / "reference"), str(ROOT), str(tmp_path), "/etc", str(Path.home())]
    read = tried(sandbox, "return [error(lambda p=p: open(p, 'rb').read(1)) for p in args]", *files)
    listed = tried(sandbox, "return [error(os.listdir, p) for p in args]", *folders)
    assert {*read, *listed} <= {"PermissionError", "FileNotFoundError"}


@LINUX
def test_the_worker_is_given_nothing_of_the_grader_s(sandbox: ZygoteSandbox) -> None:
    body = (
        "return [dict(os.environ), sys.argv, sys.path, os.getcwd(),"
        " [fd for fd in range(64) if error(os.fstat, fd) == 'done'], sorted(m for m in sys.modules if m.startswith('grader'))]"
    )
    environment, argv, path, cwd, held, modules = tried(sandbox, body)
    ours = {"LANG", "LC_CTYPE", "PYTHONDONTWRITEBYTECODE", "GLIBC_TUNABLES"}
    torch = {"TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE", "TORCHINDUCTOR_CACHE_DIR"}
    assert set(environment) <= ours | torch | {name for name in environment if name.endswith("_THREADS")}
    assert argv == ["work.py"] and cwd == "/" and str(ROOT) not in path
    assert len(held) == 5  # question, answer and the three standard streams
    assert {m.split(".")[1] for m in modules if "." in m} <= {"worker", "rpc"}


@LINUX
def test_nothing_is_reached_over_any_kind_of_socket(sandbox: ZygoteSandbox) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as named:
            named.bind(f"{folder}/s")
            named.listen()
            abstract = socket.socket(socket.AF_UNIX)
            abstract.bind(f"\0walls-{os.getpid()}")
            abstract.listen()
            body = (
                "return [error(socket.create_connection, ('127.0.0.1', args[0]), 1), error(socket.getaddrinfo, 'example.org', 80),"
                " *[error(lambda a=a: socket.socket(socket.AF_UNIX).connect(a)) for a in args[1:]],"
                " error(socket.socketpair), error(socket.socket, socket.AF_INET6), error(socket.socket, socket.AF_NETLINK)]"
            )
            seen = tried(sandbox, body, tcp.getsockname()[1], f"{folder}/s", f"\0walls-{os.getpid()}")
            for each in (tcp, named, abstract):
                each.setblocking(False)
                with pytest.raises(BlockingIOError):
                    each.accept()
            abstract.close()
    assert set(seen) <= {"PermissionError", "OSError", "gaierror"}


@LINUX
def test_nothing_is_written_anywhere(sandbox: ZygoteSandbox) -> None:
    places = [".", "/tmp", "/var/tmp", "/dev/shm", str(Path.home()), str(ROOT), os.path.dirname(os.__file__)]
    before = {place: sorted(os.listdir(place)) for place in places if place not in ("/tmp", "/var/tmp", "/dev/shm")}
    body = (
        "names = [os.path.join(p, 'wall_left_behind') for p in args]\n"
        "    return [error(open, n, 'w') for n in names] + [error(os.mkdir, n) for n in names] + [error(os.symlink, 'x', n) for n in names]"
        " + [error(os.mkfifo, n) for n in names] + [error(lambda: os.memfd_create('x')), error(os.chmod, torch.__file__, 0o777)]"
        " + [error(os.truncate, torch.__file__, 0), error(os.open, torch.__file__, os.O_RDONLY | os.O_TRUNC), error(os.unlink, torch.__file__)]"
    )
    assert "done" not in tried(sandbox, body, *places)
    assert [p for p in places if os.path.lexists(os.path.join(p, "wall_left_behind"))] == []
    assert {place: sorted(os.listdir(place)) for place in before} == before


@LINUX
def test_the_null_device_takes_prints_nobody_wants(sandbox: ZygoteSandbox) -> None:
    if landlock_version() < 3:
        pytest.skip("without this version of Landlock no file at all may be opened for writing")
    body = "from contextlib import redirect_stdout\n    with open(os.devnull, 'w') as out, redirect_stdout(out): print('x')\n    return 1"
    assert tried(sandbox, body) == 1


@LINUX
def test_no_process_is_started_and_none_is_signalled(sandbox: ZygoteSandbox) -> None:
    sibling = opened(sandbox, "import os, signal\ndef f(): return os.getpid()")
    other = call(sibling)
    body = (
        "return [error(os.kill, p, s) for p in (*args, os.getppid(), 0, -1) for s in (0, 9, 15)]"
        " + [error(os.fork), error(os.execv, '/bin/true', ['true']),"
        " error(os.posix_spawn, '/bin/true', ['true'], {}), error(os.pidfd_open, os.getppid()), error(os.setsid), error(os.setuid, 0)]"
    )
    seen = tried(sandbox, body, other, os.getpid())
    assert set(seen) <= {"PermissionError", "OSError", "ProcessLookupError"}
    assert call(sibling) == other
    sibling.close()


@LINUX
def test_nothing_outlives_the_session(sandbox: ZygoteSandbox) -> None:
    sandbox.ready()
    before = set(tasks_of(sandbox))
    session = opened(
        sandbox,
        "import threading, time\n"
        "def f(): [threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(3)]; return threading.active_count()",
    )
    assert call(session) == 4
    new = set(tasks_of(sandbox)) - before
    assert len(new) == 1
    session.close()
    deadline = threading.Event()
    for _ in range(100):
        if not any(running(pid) for pid in new):
            return
        deadline.wait(0.05)
    pytest.fail("the worker still runs")


def tasks_of(sandbox: ZygoteSandbox) -> list[int]:
    """Process ids of everything below the sandbox, as the machine counts."""
    found, waiting = [], [sandbox.pid]
    while waiting:
        pid = waiting.pop()
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            below = [int(word) for word in children.read_text().split()]
            found += below
            waiting += below
    return found


@LINUX
def test_nothing_inside_outlives_the_process_outside():
    """The grader may be killed with no time to clean up: whatever it had started inside goes with it."""
    sandbox = ZygoteSandbox({})
    try:
        sandbox.ready()
        inside = [os.pidfd_open(pid) for pid in tasks_of(sandbox)]
        os.kill(sandbox.pid, signal.SIGKILL)
        ends = [select.select([pidfd], [], [], 20.0)[0] for pidfd in inside]  # readable when the process has ended
        assert ends == [[pidfd] for pidfd in inside]
        assert inside or "namespaces" not in sandbox.isolation.walls
    finally:
        sandbox.close()


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


@LINUX
def test_threads_memory_and_files_end_at_their_limits(sandbox: ZygoteSandbox) -> None:
    body = (
        "threading.stack_size(128 << 10)\n    go, count = threading.Event(), 0\n"
        "    try:\n        for _ in range(200): threading.Thread(target=go.wait, daemon=True).start(); count += 1\n"
        "    except RuntimeError: pass\n    go.set()\n"
        "    return [count, error(bytearray, 1 << 31), error(torch.zeros, 1 << 30), error(lambda: [os.dup(0) for _ in range(99)])]"
    )
    count, large, tensor, files = tried(sandbox, body)
    assert 1 <= count <= Limits().threads + 3
    assert (large, tensor, files) == ("MemoryError", "RuntimeError", "OSError")


@LINUX
def test_honest_code_finds_all_it_needs(sandbox: ZygoteSandbox) -> None:
    body = (
        "import math, typing, einops, numpy, hashlib, ssl, random, uuid, decimal, json, dataclasses, torch.nn.functional, torch.utils.data, torch.linalg, torch.special\n"
        "    a = torch.randn(64, 64, dtype=torch.float64); torch.linalg.svd(a); (a @ a).exp()\n"
        "    b = torch.randn(8, 8, requires_grad=True); torch.softmax(b, -1).sum().backward()\n"
        "    torch.set_num_threads(2); c = torch.randn(900, 900); d = c @ c\n"
        "    e = torch.nn.MultiheadAttention(8, 2)(*[torch.randn(3, 1, 8)] * 3)[0]\n"
        "    f2 = torch.nn.functional.scaled_dot_product_attention(*[torch.randn(1, 2, 5, 4)] * 3)\n"
        "    g = einops.rearrange(a, '(h d) t -> h d t', h=8); x = numpy.linalg.inv(numpy.eye(3) * 2)\n"
        "    time.sleep(0.001); hashlib.sha256(b'x'); uuid.uuid4()\n"
        "    return [tuple(d.shape), tuple(e.shape), tuple(f2.shape), tuple(g.shape), float(x[0, 0]), math.pi > 3]"
    )
    assert tried(sandbox, body) == [(900, 900), (3, 1, 8), (1, 2, 5, 4), (8, 8, 64), 0.5, True]


@LINUX
def test_chance_begins_alike_in_every_worker_of_every_zygote(sandbox: ZygoteSandbox) -> None:
    body = "import random, numpy\n    return [float(torch.rand(1)), random.random(), float(numpy.random.rand())]"
    other = ZygoteSandbox({})
    try:
        assert tried(sandbox, body) == tried(sandbox, body) == tried(other, body)
    finally:
        other.close()


AS_ROOT = [({"user"}, {"limits"})] if os.getuid() == 0 else []


@LINUX
@pytest.mark.parametrize(
    ("left_out", "lost"),
    [
        *AS_ROOT,
        ({"seccomp"}, {"connect", "start"}),
        ({"rlimits"}, {"limits"}),
        pytest.param({"landlock", "own root"}, {"read"}, marks=pytest.mark.long),
        ({"landlock", "namespaces"}, {"read"}),
        pytest.param({"landlock", "own root", "seccomp"}, {"read", "write", "start"}, marks=pytest.mark.long),
        ({"proof"}, IDS),  # what stands but was not tried is not proven
        ({"landlock", "namespaces", "seccomp", "user"}, {"read", "write", "connect", "signal", "start"}),
    ],
    ids=lambda part: "+".join(sorted(part)),
)
def test_without_enough_walls_no_worker_is_given_out(left_out: set[str], lost: set[str]) -> None:
    sandbox = ZygoteSandbox({}, guarded=[ROOT / "reference"], leave_out=left_out)
    try:
        proof = sandbox.prove()
        assert lost <= {effect.id for effect in proof.failed()}
        with pytest.raises(WallMissing) as refused:
            sandbox.open(Limits())
        for effect in EFFECTS:
            assert (effect.words in str(refused.value)) == (effect in proof.failed())
            assert effect not in proof.failed() or effect.remedy in str(refused.value)
    finally:
        sandbox.close()


class AtThisDesk:
    """An engine that grades in this process, with walls taken away."""

    def __init__(self, leave_out: set[str], practice: bool) -> None:
        course = load_course(ROOT)
        self._desk = Desk(course, lambda: ZygoteSandbox({}, leave_out=leave_out, practice=practice))

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        for job in jobs:
            self._desk.ready()
            yield job, self._desk.grade(job)

    def close(self) -> None:
        self._desk.close()


ALL_WALLS = {"user", "namespaces", "own root", "privileges", "landlock", "session", "rlimits", "seccomp"}


@LINUX
@pytest.mark.parametrize("command", ["grade", "batch"])
def test_a_missing_wall_ends_with_exit_code_3_and_not_a_byte_of_a_submission_runs(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "drop").mkdir()
    work = tmp_path / "drop" / "attention.py"
    work.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    options = [str(work)] if command == "grade" else [str(tmp_path / "drop"), "-o", str(tmp_path / "out")]

    def ended(practice: bool) -> int:
        engine = AtThisDesk(ALL_WALLS, practice)
        ports = replace(real_ports(), open_engine=lambda config: closing(engine))
        flags = ["--practice"] if practice else []
        return main(["--course", str(ROOT), command, *options, "-a", "attention", *flags], ports)

    assert ended(practice=False) == Exit.FAULT
    said = capsys.readouterr()
    assert said.out == "" and "isolation could not be proven" in said.err and "needed:" in said.err
    assert not (tmp_path / "ran").exists() and not list(tmp_path.glob("out/*.csv"))
    assert ended(practice=True) == Exit.DONE
    assert (tmp_path / "ran").exists()  # so it would have shown
    assert "practice" in capsys.readouterr().out.lower() or command == "batch"


@LINUX
@pytest.mark.parametrize(
    "version", [pytest.param(1, marks=pytest.mark.long), 3, pytest.param(5, marks=pytest.mark.long)]
)
def test_an_old_landlock_is_enough(version: int) -> None:
    if landlock_version() < version:
        pytest.skip("this kernel's Landlock is older still")
    sandbox = ZygoteSandbox({}, guarded=[ROOT / "reference"], landlock_cap=version)
    try:
        assert sandbox.prove().failed() == []
    finally:
        sandbox.close()


@LINUX
@pytest.mark.skipif(not has_namespaces(), reason="this machine grants no namespaces")
def test_a_kernel_without_landlock_is_enough_where_there_are_namespaces() -> None:
    sandbox = ZygoteSandbox({}, guarded=[ROOT / "reference"], leave_out={"landlock"})
    try:
        proof = sandbox.prove()
        assert proof.failed() == [] and "own root" in proof.walls
        assert tried(sandbox, "return [error(open, args[0]), error(open, '/usr/lib/new', 'w')]", str(ROOT / "README.md")) == [
            "FileNotFoundError", "PermissionError"
        ]  # fmt: skip
    finally:
        sandbox.close()


def test_the_canaries_see_what_reaches_them(tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    with canaries([tmp_path / "reference", tmp_path / "absent"]) as seen:
        targets = seen.targets()
        assert targets["secrets"] == (str(tmp_path / "reference"),) and seen.reached() == []
        with socket.create_connection(("127.0.0.1", targets["tcp"])):
            assert ("connect", "a TCP port was reached") in seen.reached()
        with socket.socket(socket.AF_UNIX) as end:
            end.connect("\0" + targets["abstract"])
        Path(targets["canary"]).write_text("sung")
        assert {effect for effect, _ in seen.reached()} == {"connect", "write"} and len(seen.reached()) == 3
    assert not Path(targets["canary"]).exists()


def test_a_report_without_a_wall_for_an_effect_proves_nothing() -> None:
    told = {"walls": ["landlock"], "missing": {}, "breaches": [], "ms": 1.0}
    proof = read_proof({"proof": told})
    assert {effect.id for effect in proof.failed()} == {"connect", "signal", "start", "limits"}
    assert {effect.id for effect in Proof().failed()} == IDS
    with pytest.raises(ValueError, match="unknown"):
        read_proof({"proof": {**told, "breaches": [["flying", "up"]]}})


def test_no_flag_and_no_variable_takes_a_wall_away() -> None:
    """The words that do it are arguments of the constructor, and nobody outside the sandbox passes them."""
    found = []
    for path in (ROOT / "grader").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and any(k.arg in ("leave_out", "landlock_cap") for k in node.keywords):
                found.append(path.name)
    assert found == []
