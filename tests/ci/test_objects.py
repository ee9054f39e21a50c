"""A hostile repository: its settings start nothing, its names lead nowhere."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.ci.changed import HandIn, hand_ins
from grader.ci.objects import Entry, Repository
from grader.ci.taking import reason_of, take
from grader.errors import UsageError
from tests.ci.conftest import ATTENTION, ROOT, SOLUTION, Git

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def opened(git: Git, tmp_path: Path) -> Repository:
    scratch = tmp_path / f"scratch-{len(list(tmp_path.iterdir()))}"
    scratch.mkdir()
    return Repository(git.folder, scratch, ENVIRONMENT)


def test_nothing_that_a_repository_is_set_to_do_is_done(git: Git, tmp_path: Path):
    canary = tmp_path / "canary"
    first = git("rev-parse", "HEAD")
    head = git.commit({ATTENTION: SOLUTION, ".gitattributes": "*.py filter=x diff=x\n"})
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {canary}\ncat\n")
    script.chmod(0o755)
    for key in (
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.gitProxy", "diff.external", "diff.x.command",
        "diff.x.textconv", "filter.x.smudge", "filter.x.clean", "core.alternateRefsCommand", "pager.diff-tree",
        "uploadpack.packObjectsHook", "remote.origin.uploadpack", "alias.rev-parse",
    ):  # fmt: skip
        git("config", key, str(script) if not key.startswith("alias") else f"!{script}")
    for name in ("post-checkout", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"):
        hook = git.folder / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(script.read_text())
        hook.chmod(0o755)
    git("config", "remote.origin.url", f"ext::{script}")
    git("config", "remote.origin.promisor", "true")
    git("config", "extensions.partialClone", "origin")
    canary.unlink(missing_ok=True)  # our own `git config` may have run some of it

    repository = opened(git, tmp_path)
    assert repository.commit("main") == repository.commit(head) == head
    assert repository.merge_base(first, head) == first
    entries = {entry.path: entry for entry in repository.entries(head)}
    assert repository.blob(entries[ATTENTION]).decode() == SOLUTION
    repository.renames(first, head)
    assert repository.commit(40 * "a") is None  # nobody is asked for it
    with pytest.raises(UsageError):
        repository.blob(Entry("x.py", "100644", 40 * "b", 5))
    assert not canary.exists()


def test_a_replaced_object_is_not_believed(git: Git, tmp_path: Path):
    head = git.commit({ATTENTION: SOLUTION})
    blob = git("rev-parse", f"HEAD:{ATTENTION}")
    other = (
        git("hash-object", "-w", "--stdin-paths") if False else git("rev-parse", "HEAD:.github/workflows/checks.yml")
    )
    git("replace", blob, other)
    repository = opened(git, tmp_path)
    entries = {entry.path: entry for entry in repository.entries(head)}
    assert repository.blob(entries[ATTENTION]).decode() == SOLUTION


def test_a_worktree_a_bare_clone_and_a_shallow_one_are_repositories(git: Git, tmp_path: Path):
    head = git.commit({ATTENTION: SOLUTION})
    git("worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"), head)
    git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    git("clone", "--quiet", "--depth=1", f"file://{git.folder}", str(tmp_path / "shallow"))
    for name in ("tree", "bare", "shallow"):
        assert opened(Git(tmp_path / name), tmp_path).commit("HEAD") == head
    assert opened(Git(tmp_path / "shallow"), tmp_path).commit(git("rev-parse", "HEAD~1")) is None


def test_no_repository_says_so(tmp_path: Path):
    with pytest.raises(UsageError, match="no git repository"):
        Repository(tmp_path, tmp_path, ENVIRONMENT)


def test_names_that_lead_out_of_the_folder_are_left_out(tmp_path: Path):
    assignment = load_course(ROOT).assignment("attention")
    assert assignment is not None
    names = ("../evil.py", "a/../../evil.py", "/abs.py", "sub//two.py", "good.py", ".git/x.py")
    entries = tuple(Entry(name, "100644", 40 * "a", 2) for name in names)
    left_out = take(HandIn(assignment, "", entries), lambda entry: b"1\n", tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["good.py", "x.py"]
    assert [each.path for each in left_out] == ["../evil.py", "a/../../evil.py", "/abs.py", "sub//two.py"]
    assert not (tmp_path.parent / "evil.py").exists()


def test_a_tree_with_odd_names_made_by_hand(git: Git, tmp_path: Path):
    """git itself would not make it; a push of raw objects does, where a server does not look."""
    blob = git("rev-parse", f"HEAD:{ATTENTION}")
    raw = b"100644 ..\0" + bytes.fromhex(blob) + b"100644 attention.py\0" + bytes.fromhex(blob)
    made = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
        cwd=git.folder, input=raw, capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    head = git("commit-tree", made, "-m", "odd")
    repository = opened(git, tmp_path)
    found = hand_ins(load_course(ROOT), repository.entries(head), repository.blob)["attention"]
    into = tmp_path / "into"
    into.mkdir()
    take(found, repository.blob, into)
    assert [path.name for path in into.iterdir()] == ["attention.py"]


@pytest.mark.parametrize(
    ("entry", "data", "kind", "word"),
    [
        (Entry(ATTENTION, "120000", 40 * "a", 11), b"/etc/passwd", "symlink", "symbolic link"),
        (Entry(ATTENTION, "160000", 40 * "a", 0), b"", "submodule", "submodule"),
        (Entry(ATTENTION, "100644", 40 * "a", 50_000_000), b"", "large_file", "50.0 MB"),
        (
            Entry(ATTENTION, "100644", 40 * "a", 130),
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
            "lfs_pointer",
            "LFS",
        ),
    ],
)
def test_what_is_no_ordinary_file_is_left_out_and_says_why(entry, data, kind, word, tmp_path: Path):
    assignment = load_course(ROOT).assignment("attention")
    assert assignment is not None
    (left_out,) = take(HandIn(assignment, "assignments/attention", (entry,)), lambda _: data, tmp_path)
    assert left_out.flag.kind == kind and word in left_out.flag.detail
    assert list(tmp_path.iterdir()) == []
    if kind != "submodule":  # a folder in place of a file is no code that was handed in
        told = reason_of([left_out])
        assert told is not None and word in told.en
