"""Each wall alone, in a process of its own, tried from the inside."""

from __future__ import annotations

import json
import os
import platform
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from grader.worker.walls import landlock, own_root, seccomp
from grader.worker.walls.call_numbers import AUDIT_ARCH, FREE, JUDGED

ROOT = Path(__file__).resolve().parents[2]
AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
FIRST = """
import contextlib, ctypes, errno, json, mmap, os, resource, signal, socket, sys, threading, time
import sysconfig
from grader.worker.walls import kernel, landlock, namespaces, own_root, rlimits, seccomp, session, user

def error(f, *args):
    "The name of the error that a call ends with, or what it gives."
    try:
        return f(*args)
    except OSError as failed:
        return errno.errorcode.get(failed.errno, "OSError")
    except (MemoryError, ValueError, RuntimeError) as failed:
        return type(failed).__name__

def say(**facts):
    print(json.dumps(facts))

LIBRARIES = ["/lib", "/lib64", "/usr/lib", sysconfig.get_paths()["stdlib"], sysconfig.get_config_var("LIBDIR")]
"""


def alone(source: str) -> dict[str, Any]:
    """What a fresh process says in its last line."""
    run = subprocess.run(
        [sys.executable, "-c", FIRST + source], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    facts: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return facts


def landlock_version() -> int:
    try:
        return landlock.abi()
    except OSError:
        return 0


def has_namespaces() -> bool:
    enter = "as_root" if os.getuid() == 0 else "as_user"
    run = subprocess.run(
        [sys.executable, "-c", f"from grader.worker.walls import namespaces; namespaces.enter_{enter}()"],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    return run.returncode == 0


NAMESPACES = pytest.mark.skipif(not has_namespaces(), reason="this machine grants no namespaces")
ENTER = "namespaces.enter_as_root() if os.getuid() == 0 else namespaces.enter_as_user()\n"


@AS_ROOT
def test_root_becomes_a_user_that_nobody_is_and_never_comes_back() -> None:
    seen = alone("""
user.become(user.unused())
user.give_up_privileges()
facts = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
say(ids=[*os.getresuid(), *os.getresgid()], groups=os.getgroups(), back=error(os.setuid, 0),
    caps=[int(facts[k], 16) for k in ("CapEff", "CapPrm", "CapInh")], gains=facts["NoNewPrivs"].strip())
""")
    assert len(set(seen["ids"])) == 1 and seen["ids"][0] > 60_000 and seen["groups"] == []
    assert seen["back"] == "EPERM"
    assert seen["caps"] == [0, 0, 0] and seen["gains"] == "1"


@AS_ROOT
def test_what_another_user_cannot_read_is_found_before_it_is_too_late() -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        Path(folder, "closed").mkdir(mode=0o700)
        paths = [f"{folder}/closed", f"{folder}/absent", "/usr/lib"]
        seen = alone(f"say(hidden=user.unreadable_to(user.unused(), {paths}), uid=os.getuid())")
    assert seen == {"hidden": [paths[0]], "uid": 0}


@NAMESPACES
def test_in_namespaces_there_is_no_network_and_nobody_else(tmp_path: Path) -> None:
    seen = alone(
        "before = {k: os.readlink('/proc/self/ns/' + k) for k in ('net', 'ipc', 'uts', 'mnt')}\n"
        + ENTER
        + """
r, w = os.pipe()
namespaces.go_inside(r)
after = {k: os.readlink('/proc/self/ns/' + k) for k in before}
end = socket.socket()
say(pid=os.getpid(), same=[k for k in before if before[k] == after[k]], links=[n for _, n in socket.if_nameindex()],
    reach=error(end.connect, ("127.0.0.1", 9)), grader=error(os.kill, os.getppid() or 99999, 0))
"""
    )
    assert seen["pid"] == 1 and seen["same"] == [] and seen["links"] == ["lo"]
    assert seen["reach"] == "ENETUNREACH"


@AS_ROOT
@NAMESPACES
def test_an_ordinary_user_gets_namespaces_too() -> None:
    seen = alone("""
user.become(user.unused())
namespaces.enter_as_user()
say(map=open("/proc/self/uid_map").read().split(), uid=os.getuid())
""")
    assert seen["map"] == [str(seen["uid"]), str(seen["uid"]), "1"]


@NAMESPACES
def test_an_own_root_holds_what_may_be_read_and_takes_no_writing() -> None:
    seen = alone(
        ENTER
        + """
r, w = os.pipe()
namespaces.go_inside(r)
own_root.enter([*LIBRARIES, "/dev/null"])
lib = LIBRARIES[3]
names = ["/", "/tmp", "/proc", lib]
say(top=sorted(os.listdir("/")), lib=len(os.listdir(lib)) > 100, passwd=error(open, "/etc/passwd"),
    write=[error(os.open, os.path.join(n, "left"), os.O_CREAT | os.O_WRONLY) for n in names],
    null=error(os.write, os.open("/dev/null", os.O_WRONLY), b"x"), pids=[p for p in os.listdir("/proc") if p.isdigit()])
"""
    )
    assert {"dev", "proc", "usr"} <= set(seen["top"]) and not {"home", "var", "srv", "opt"} & set(seen["top"])
    assert seen["lib"] and seen["passwd"] == "ENOENT" and seen["null"] == 1 and seen["pids"] == ["1"]
    assert set(seen["write"]) <= {"EROFS", "ENOENT", "EACCES"}


def test_of_paths_inside_each_other_the_outer_ones_stay(tmp_path: Path) -> None:
    inner, other = tmp_path / "a" / "b", tmp_path / "ab"
    inner.mkdir(parents=True)
    other.mkdir()
    given = [str(inner), str(tmp_path / "a"), str(other), str(tmp_path / "absent")]
    assert own_root.outermost(given) == [str(tmp_path / "a"), str(other)]


def test_limits_hold_and_cannot_be_lifted() -> None:
    seen = alone("""
rlimits.restrict(rlimits.Budget(memory_mib=256, cpu_s=9, tasks=40))
fits = len(bytearray(100 << 20)) >> 20
say(fits=fits, large=error(lambda: len(bytearray(1 << 30))), map=error(lambda: mmap.mmap(-1, 1 << 30) and 1),
    files=error(lambda: [os.dup(0) for _ in range(100)]), cpu=resource.getrlimit(resource.RLIMIT_CPU),
    file=resource.getrlimit(resource.RLIMIT_FSIZE), core=resource.getrlimit(resource.RLIMIT_CORE))
""")
    assert seen["fits"] == 100 and seen["large"] == "MemoryError" and seen["map"] == "ENOMEM"
    assert seen["files"] == "EMFILE" and seen["cpu"] == [9, 9] and seen["file"] == seen["core"] == [0, 0]


@AS_ROOT
def test_the_limit_on_threads_holds_for_a_user_of_its_own() -> None:
    seen = alone("""
user.become(user.unused())
rlimits.restrict(rlimits.Budget(memory_mib=512, cpu_s=9, tasks=12))
threading.stack_size(128 << 10)
go, running = threading.Event(), []
def many():
    while len(running) < 50:
        one = threading.Thread(target=go.wait)
        one.start()
        running.append(one)
how = error(many)
go.set()
say(how=how, count=len(running))
""")
    assert seen == {"how": "RuntimeError", "count": 11}


@pytest.mark.skipif(landlock_version() == 0, reason="this kernel has no Landlock")
@pytest.mark.parametrize("version", range(1, landlock_version() + 1))
def test_landlock_of_any_version_leaves_only_what_may_be_read(version: int, tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "book").write_text("read me")
    (tmp_path / "secret").write_text("not me")
    seen = alone(f"""
import pathlib
here = pathlib.Path({str(tmp_path)!r})
rules = landlock.Ruleset([str(here / "open"), str(here / "absent")], ["/dev/null"], cap={version})
rules.enforce()
say(abi=rules.abi, book=(here / "open" / "book").read_text(), names=os.listdir(here / "open"),
    secret=error(open, here / "secret"), listing=error(os.listdir, here), passwd=error(open, "/etc/passwd"),
    new=error(open, here / "open" / "new", "w"), folder=error(os.mkdir, here / "new"), gone=error(os.unlink, here / "secret"),
    null=error(os.write, os.open("/dev/null", os.O_WRONLY | os.O_TRUNC | os.O_CREAT), b"x"),
    other=error(os.kill, os.getppid(), 0), environ=error(open, "/proc/self/environ"))
""")
    assert seen["abi"] == version and seen["book"] == "read me" and seen["names"] == ["book"] and seen["null"] == 1
    refused = ("secret", "listing", "passwd", "new", "folder", "gone", "environ")
    assert {seen[what] for what in refused} == {"EACCES"}
    assert seen["other"] == ("EPERM" if version >= 6 else None)


@pytest.mark.skipif(platform.machine() not in AUDIT_ARCH, reason="no table for this machine")
def test_the_filter_refuses_what_is_not_on_the_list() -> None:
    seen = alone("""
call = kernel.LIBC.syscall
numbers = {"memfd": 319, "io_uring": 425, "bpf": 321, "ptrace": 101, "mount": 165, "unshare": 272, "setns": 308,
           "shmget": 29, "keyctl": 250, "userfaultfd": 323, "symlink": 88, "chmod": 90, "setrlimit": 160,
           "pidfd_open": 434, "socketpair": 53, "sendmsg": 46} if kernel.machine() == "x86_64" else {"unshare": 97}
def raw(number):
    ctypes.set_errno(0)
    return call(ctypes.c_long(number), *[ctypes.c_long(0)] * 6) == -1 and errno.errorcode[ctypes.get_errno()]
seccomp.Filter(no_writing=True).load(os.getpid())
say(raw=sorted({raw(n) for n in numbers.values()}), clone3=raw(435), fork=error(os.fork), exec=error(os.execv, "/bin/true", ["true"]),
    socket=error(socket.socket), parent=error(os.kill, os.getppid(), 0), group=error(os.kill, 0, 0),
    write=error(os.open, "/dev/null", os.O_WRONLY), truncate=error(os.open, "/dev/null", os.O_TRUNC),
    limit=error(resource.setrlimit, resource.RLIMIT_CORE, (0, 0)), again=error(seccomp.Filter(no_writing=True).load, 1))
""")
    assert seen["raw"] == ["EPERM"] and seen["clone3"] == "ENOSYS"
    assert seen["write"] == seen["truncate"] == "EACCES"
    assert {seen[k] for k in ("fork", "exec", "socket", "parent", "group", "again")} == {"EPERM"}
    assert seen["limit"] in ("EPERM", "ValueError")


@pytest.mark.skipif(platform.machine() not in AUDIT_ARCH, reason="no table for this machine")
def test_the_filter_lets_honest_code_work() -> None:
    seen = alone("""
seccomp.Filter(no_writing=True).load(os.getpid())
got = []
threads = [threading.Thread(target=got.append, args=(n,)) for n in range(8)]
for one in threads: one.start()
for one in threads: one.join()
before = time.monotonic()
time.sleep(0.001)
signal.signal(signal.SIGUSR1, lambda *_: got.append("signal"))
os.kill(os.getpid(), signal.SIGUSR1)
r, w = os.pipe()
os.write(w, b"x")
say(got=sorted(map(str, got)), random=len(os.urandom(8)), slept=time.monotonic() > before, pipe=os.read(r, 1).decode(),
    map=len(mmap.mmap(-1, 1 << 20)), read=len(open(os.__file__).read()) > 0, core=resource.getrlimit(resource.RLIMIT_CORE) is not None)
""")
    assert seen["got"] == [*"01234567", "signal"] and seen["random"] == 8 and seen["slept"] and seen["pipe"] == "x"
    assert seen["map"] == 1 << 20 and seen["read"] and seen["core"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of the 32-bit kind exist on x86-64 alone")
def test_a_call_by_a_foreign_number_ends_the_process() -> None:
    source = "seccomp.Filter(no_writing=True).load(os.getpid())\nkernel.LIBC.syscall(ctypes.c_long((1 << 30) | 39))"
    run = subprocess.run([sys.executable, "-c", FIRST + source], cwd=ROOT, capture_output=True, check=False)
    assert run.returncode == -31  # SIGSYS


def decide(machine: str, number: int, *arguments: int, arch: int | None = None, no_writing: bool = True) -> int:
    """What the filter's program answers, by the rules of its language."""
    given = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("<iIQ6Q", number, AUDIT_ARCH[machine] if arch is None else arch, 0, *given)
    program, at, held = seccomp.steps(machine, no_writing), 0, 0
    while True:
        code, yes, no, operand = program[at]
        at += 1
        match code:
            case 0x06:
                return operand
            case 0x05:
                at += operand
            case 0x20:
                held = struct.unpack_from("<I", data, operand)[0]
            case 0x54:
                held &= operand
            case 0x15:
                at += yes if held == operand else no
            case 0x35:
                at += yes if held >= operand else no
            case 0x45:
                at += yes if held & operand else no
            case _:
                pytest.fail(f"an unknown code {code:#x}")


ALLOW, KILL, EPERM, ENOSYS, EACCES = 0x7FFF0000, 0x80000000, 0x50001, 0x50026, 0x5000D


@pytest.mark.parametrize("machine", sorted(AUDIT_ARCH))
def test_the_program_allows_its_table_and_no_other_number(machine: str) -> None:
    judged = set(JUDGED[machine].values())
    free = set(FREE[machine].values())
    for number in range(600):
        if number not in judged:
            assert decide(machine, number) == (ALLOW if number in free else EPERM), number
    assert decide(machine, 0, arch=0x40000003) == KILL
    assert decide(machine, (1 << 30) | 1) == KILL and decide(machine, -1) == KILL
    assert len(seccomp.steps(machine, True)) < 4096 and all(
        s[1] < 256 and s[2] < 256 for s in seccomp.steps(machine, True)
    )


@pytest.mark.parametrize("machine", sorted(AUDIT_ARCH))
def test_the_program_looks_at_arguments(machine: str) -> None:
    number = JUDGED[machine]
    somebody = 0xFFFFFFFF
    assert decide(machine, number["clone"], 0x3D0F00) == ALLOW
    for flags in (17, 0x00010000 | 0x10000000, 0x3D0F00 | 0x40000000, 0x4111):
        assert decide(machine, number["clone"], flags) == EPERM
    assert decide(machine, number["clone3"]) == ENOSYS
    assert decide(machine, number["tgkill"], somebody) == ALLOW and decide(machine, number["tgkill"], 77) == EPERM
    assert decide(machine, number["fcntl"], 1, 3) == ALLOW and decide(machine, number["fcntl"], 1, 8) == EPERM
    assert decide(machine, number["ioctl"], 1, 0x541B) == ALLOW and decide(machine, number["ioctl"], 1, 0x5412) == EPERM
    assert decide(machine, number["prlimit64"], 0, 7, 0, 1) == ALLOW
    assert {decide(machine, number["prlimit64"], 0, 7, new) for new in (1, 1 << 32, 1 << 63)} == {EPERM}
    assert {decide(machine, number["openat"], 0, 0, flags) for flags in (1, 2, 0o100, 0o1000)} == {EACCES}
    assert decide(machine, number["openat"], 0, 0, 0o2000000) == ALLOW
    assert decide(machine, number["openat"], 0, 0, 1, no_writing=False) == ALLOW


@pytest.mark.parametrize(
    ("machine", "header", "renamed"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", {}),
        ("aarch64", "/usr/include/asm-generic/unistd.h", {"newfstatat": "fstatat"}),
    ],
)
def test_the_tables_agree_with_the_kernel_s_own(machine: str, header: str, renamed: dict[str, str]) -> None:
    if not Path(header).exists():
        pytest.skip("the kernel's headers are not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text())
    known = {name: int(number) for name, number in found}
    ours = {**FREE[machine], **JUDGED[machine]}
    both = {name for name in ours if renamed.get(name, name) in known}
    assert {name: ours[name] for name in both} == {name: known[renamed.get(name, name)] for name in both}
    assert len(both) > len(ours) * 0.9


def test_a_worker_has_its_own_session_and_only_its_own_descriptors() -> None:
    seen = alone("""
pipes = [os.pipe() for _ in range(6)]
kept = (pipes[1][0], pipes[4][1])
pid = os.fork()
if pid == 0:
    session.begin(os.getppid())
    session.close_all_but(*kept)
    open_now = [fd for fd in range(64) if error(os.fstat, fd) != "EBADF"]
    say(session=os.getsid(0) == os.getpid(), held=open_now, kept=[0, 1, 2, *sorted(kept)])
    sys.stdout.flush()
    os._exit(0)
os.waitpid(pid, 0)
""")
    assert seen["session"] and seen["held"] == seen["kept"]


def test_a_worker_ends_with_its_zygote() -> None:
    seen = alone("""
r, w = os.pipe()
zygote = os.fork()
if zygote == 0:
    worker = os.fork()
    if worker == 0:
        session.begin(os.getppid())
        os.write(w, b"x")
        time.sleep(50)
    time.sleep(50)
os.close(w)
os.read(r, 1)
os.kill(zygote, signal.SIGKILL)
say(rest=len(os.read(r, 1)))
""")
    assert seen["rest"] == 0  # the pipe's other end is closed: nobody is left who could hold it
