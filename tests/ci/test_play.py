"""A pull request's whole way: found and fetched by one job, graded by another that has nothing, posted by a third."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.ci.posting import MARKER
from grader.cli import main
from grader.release.pack import digest_of, pack
from tests.ci.conftest import ATTENTION, ROOT, SOLUTION, UNSCALED, Git
from tests.ci.github import POST, READ, GitHub

NAME = "course/hw-wei"
CANARY = "canary-7f3a"

# Around right code: everything a thief would try, each outcome printed and kept out of the answers.
THIEF = """{right}

import glob, os, socket, subprocess, urllib.request


def _try(name, attempt):
    try:
        print(name, "GOT", attempt())
    except BaseException as refused:
        print(name, "refused", type(refused).__name__)

_try("environment", lambda: {{k: v for k, v in os.environ.items() if "TOKEN" in k or "GITHUB" in k or "canary" in v}} or 1 / 0)
for _path in {paths!r}:
    _try("read " + _path, lambda: open(_path, "rb").read()[:4000])
    _try("list " + _path, lambda: os.listdir(_path))
_try("processes", lambda: [open(p, "rb").read() for p in glob.glob("/proc/[0-9]*/environ") if b"canary" in open(p, "rb").read()] or 1 / 0)
_try("parent", lambda: open("/proc/%d/environ" % os.getppid(), "rb").read() or 1 / 0)
_try("connect", lambda: socket.create_connection(("127.0.0.1", {port}), 1))
_try("address", lambda: socket.getaddrinfo("example.org", 443))
_try("http", lambda: urllib.request.urlopen("http://127.0.0.1:{port}/user", timeout=1).read())
_try("program", lambda: subprocess.run(["env"], capture_output=True).stdout)
_try("write", lambda: open("/tmp/{canary}", "w").write("x"))
"""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "served").serving() as started:
        yield started
    assert started.wrong == []


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "CI_")) or name.endswith("_TOKEN")]:
        monkeypatch.delenv(name)


def serve(git: Git, hub: GitHub, number: int, head: str) -> None:
    """Put the student's repository where the server has it, with the pull request's own name for its commit."""
    git("update-ref", f"refs/pull/{number}/head", head)
    target = hub.git_root / f"{NAME}.git"
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    git("clone", "--quiet", "--mirror", ".", str(target))
    Git(target)("update-server-info")


def job(hub: GitHub, words: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A step of a workflow: a process of its own with the environment that this job has."""
    known = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "GITHUB_ACTIONS": "true",
             "GITHUB_API_URL": hub.url, "GITHUB_SERVER_URL": hub.url, **environment}  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "grader", *words], cwd=folder, env=known, capture_output=True, text=True, check=False
    )


def test_the_whole_way_of_a_pull_request_with_a_thief_in_it(git: Git, hub: GitHub, tmp_path: Path):
    place = tmp_path / "runner"
    place.mkdir()
    (place / "event.json").write_text(json.dumps({"secret": CANARY}))
    data = pack(load_course(ROOT))
    (place / "reference.pack").write_bytes(data)
    paths = [str(place / "event.json"), str(place / "reference.pack"), str(place), str(ROOT / "reference"),
             str(ROOT / "reference/attention/solution.py"), "/etc/passwd", str(Path.home())]  # fmt: skip
    port = int(hub.url.rpartition(":")[2])
    thief = THIEF.format(right=SOLUTION, paths=paths, port=port, canary=CANARY)
    base = git("rev-parse", "main")
    git("checkout", "--quiet", "-b", "work")
    head = git.commit({ATTENTION: thief, ".github/workflows/checks.yml": "on: pull_request_target\n"})
    serve(git, hub, 7, head)
    hub.open_pull(NAME, 7, head, base)
    (place / "students.txt").write_text(f"{NAME}\n")

    # One job finds and fetches. Its token reads, and it starts nothing of what it fetched.
    found = job(hub, ["ci", "find", "students.txt"], place, GITHUB_TOKEN=READ)
    (change,) = json.loads(found.stdout)
    assert change == {"id": 0, "repository": NAME, "name": "hw-wei", "number": 7, "head": head}
    taken = job(hub, ["ci", "take", NAME, "7", "--head", head, "-o", "change"], place, GITHUB_TOKEN=READ)
    assert taken.returncode == 0, taken.stderr
    assert READ not in taken.stdout + taken.stderr
    assert not [path for path in (place / "change").rglob("*") if path.is_file() and READ.encode() in path.read_bytes()]
    facts = json.loads((place / "change" / "change.json").read_text())
    assert (facts["head"], facts["handed_in"]) == (head, "2026-03-01T20:00:00Z")

    # Another grades. It has no token; what a careless workflow leaves in its environment stays there.
    asked = len(hub.asked)
    words = ["--course", str(ROOT), "ci", "--repository", "change/repository.git", "--change", "change/change.json",
             "--pack", "reference.pack", "--pack-digest", digest_of(data), "--out", "out", "--feedback", "full"]  # fmt: skip
    (tmp_path / "summary.md").touch()
    graded = job(
        hub, words, place, GITHUB_EVENT_PATH=str(place / "event.json"), GITHUB_EVENT_NAME="schedule",
        ACTIONS_RUNTIME_TOKEN=CANARY, GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"),
    )  # fmt: skip
    assert graded.returncode == 0, graded.stderr
    assert len(hub.asked) == asked  # nobody reached the server
    staff = json.loads((place / "out" / "staff" / "attention.json").read_text())
    assert (staff["score"], staff["isolation"]["level"]) == (20.0, "isolated")
    told = staff["output"]["stdout"]
    assert told.count("refused") >= 20 and "GOT" not in told, told
    assert {"protected_path", "file_access", "network"} <= {flag["kind"] for flag in staff["flags"]}
    everything = (
        graded.stdout + graded.stderr + "".join(p.read_text() for p in (place / "out").rglob("*") if p.is_file())
    )
    assert CANARY not in everything.replace(f"/tmp/{CANARY}", "") and not Path(f"/tmp/{CANARY}").exists()

    # A third posts. It never sees the submission, only what was written about it.
    shutil.rmtree(place / "change")
    posted = job(hub, ["ci", "post", NAME, "7", head, "--results", "out"], place, GITHUB_TOKEN=POST)
    assert posted.returncode == 0, posted.stderr
    assert "20 / 20" in hub.comments[1]["body"] and hub.checks[1]["conclusion"] == "success"
    assert {each.token for each in hub.asked if each.method in ("POST", "PATCH")} == {POST}
    assert {each.token for each in hub.asked if each.method == "GIT"} == {READ}
    assert json.loads(job(hub, ["ci", "find", "students.txt"], place, GITHUB_TOKEN=READ).stdout) == []


def test_every_push_updates_the_comment_and_runs_out(
    git: Git, hub: GitHub, grader, tmp_path: Path, monkeypatch, capsys
):
    """A fork's pull request, pushed to three times, where a day has two runs of the hidden checks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_API_URL", hub.url)
    monkeypatch.setenv("GITHUB_SERVER_URL", hub.url)
    shutil.copytree(ROOT / "assignments", tmp_path / "course" / "assignments")
    yaml = tmp_path / "course" / "assignments" / "course.yaml"
    yaml.write_text(yaml.read_text().replace("after_release: full", "after_release: full\n  hidden_runs_per_day: 2"))
    base = git("rev-parse", "main")
    git("checkout", "--quiet", "-b", "work")
    shown = []
    for push, source in enumerate((UNSCALED, SOLUTION.replace("-1", "-2", 1), UNSCALED + "\n# again\n")):
        head = git.commit({ATTENTION: source})
        serve(git, hub, 7, head)
        hub.open_pull(NAME, 7, head, base, source="wei/hw-wei")
        monkeypatch.setenv("GITHUB_TOKEN", READ)
        assert main(["ci", "take", NAME, "7", "-o", f"change{push}"]) == 0
        monkeypatch.delenv("GITHUB_TOKEN")
        ran = grader(
            "--course", tmp_path / "course", "--reference", ROOT / "reference", "ci", "--seed", 11,
            "--repository", f"change{push}/repository.git", "--change", f"change{push}/change.json",
            "--ledger", "ledger.json", "--out", f"out{push}",
        )  # fmt: skip
        assert ran.code == 0, ran.err
        monkeypatch.setenv("GITHUB_TOKEN", POST)
        assert main(["ci", "post", NAME, "7", head, "--results", f"out{push}"]) == 0
        (comment,) = hub.comments.values()
        assert comment["body"].startswith(MARKER) and head[:10] in comment["body"]
        shown.append(comment["body"])
    assert "18 / 20" in shown[0] and "/ 20" in shown[1]
    assert "18 / 20" not in shown[2] and "2 of today's 2" in shown[2] and "public checks" in shown[2]
    assert hub.checks[3]["output"]["title"].count("/ 20") == 0
    staff = json.loads((tmp_path / "out2" / "staff" / "attention.json").read_text())
    assert staff["score"] == 18  # kept, and shown after the deadline
