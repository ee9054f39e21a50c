"""A student's git repository as a store of objects: its settings, hooks, filters and names never act.

The objects are read through an empty repository of our own that only borrows them. So nothing the student's
``.git/config`` says can start a program, and no missing object is fetched.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UsageError

_TIMEOUT_S = 120.0
_LISTING_LIMIT = 64_000_000  # bytes that git may say at once
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_POINTER_LIMIT = 4_096  # bytes of a file that says where the real folder is
REGULAR, SYMLINK, SUBMODULE = "100", "120000", "160000"


@dataclass(frozen=True, slots=True)
class Entry:
    """A path of one commit, as its tree has it; nothing of it was read yet."""

    path: str
    mode: str
    sha: str
    size: int  # bytes; 0 where there are none (a submodule)

    @property
    def is_regular(self) -> bool:
        return self.mode.startswith(REGULAR)

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Rename:
    """A file that is in another place, much as it was."""

    old: str
    new: str


class Repository:
    """Read-only. ``scratch`` is an empty folder of ours; ``environment`` gives PATH and nothing else."""

    def __init__(self, folder: Path, scratch: Path, environment: Mapping[str, str]) -> None:
        self._theirs = _git_folder(folder)
        self._ours = scratch / "borrowed.git"
        self._environment = _environment(scratch, environment)
        if not (self._theirs / "objects").is_dir():
            raise UsageError(f"{folder} is no git repository; say which folder is: --repository DIR")
        self._sha256 = len(self._said(self._theirs, "rev-parse", "--show-object-format").strip()) > len(b"sha1")
        self._borrow()

    def commit(self, name: str) -> str | None:
        """The full id of the commit a name or an id stands for; None where it is not there."""
        if _SHA.fullmatch(name) is None:
            found = self._run(
                self._theirs, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
            )
            name = found.stdout.decode("ascii", "replace").strip()
            if found.returncode or _SHA.fullmatch(name) is None:
                return None
        peeled = self._run(self._ours, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        sha = peeled.stdout.decode("ascii", "replace").strip()
        return sha if peeled.returncode == 0 and _SHA.fullmatch(sha) else None

    def merge_base(self, one: str, other: str) -> str | None:
        """Where two commits parted; None where their histories have nothing in common (or are cut off)."""
        ran = self._run(self._ours, "merge-base", one, other)
        return ran.stdout.decode("ascii").split("\n")[0] if ran.returncode == 0 else None

    def entries(self, commit: str) -> tuple[Entry, ...]:
        """Everything in a commit, folders aside."""
        listing = self._said(self._ours, "ls-tree", "-r", "-z", "--long", "--full-tree", commit)
        return tuple(_listed(listing))

    def renames(self, old: str, new: str) -> tuple[Rename, ...]:
        """Files that moved between two commits."""
        told = self._said(
            self._ours, "diff-tree", "-r", "-z", "--name-status", "-M", "-l1000", "--diff-filter=R",
            "--no-ext-diff", "--no-textconv", "--no-color", old, new, "--",
        )  # fmt: skip
        words = told.decode("utf-8", "surrogateescape").split("\0")[:-1]
        return tuple(Rename(words[i + 1], words[i + 2]) for i in range(0, len(words) - 2, 3))

    def blob(self, entry: Entry) -> bytes:
        """The bytes of a file; its size is known beforehand."""
        return self._said(self._ours, "cat-file", "blob", entry.sha, limit=entry.size)

    def _borrow(self) -> None:
        form = "sha256" if self._sha256 else "sha1"
        self._said(None, "init", "--quiet", "--bare", f"--object-format={form}", "--template=", str(self._ours))
        borrowed = self._ours / "objects" / "info"
        borrowed.mkdir(parents=True, exist_ok=True)
        (borrowed / "alternates").write_bytes(os.fsencode(self._theirs / "objects") + b"\n")
        cut_off = self._theirs / "shallow"
        if cut_off.is_file():
            (self._ours / "shallow").write_bytes(cut_off.read_bytes()[:_LISTING_LIMIT])

    def _said(self, folder: Path | None, *words: str, limit: int = _LISTING_LIMIT) -> bytes:
        ran = self._run(folder, *words, limit=limit)
        if ran.returncode:
            why = ran.stderr.decode("utf-8", "replace").strip().split("\n")[-1][:200]
            raise UsageError(f"git cannot read this repository ({words[0]}: {why}); clone it in full (fetch-depth: 0)")
        return bytes(ran.stdout)

    def _run(self, folder: Path | None, *words: str, limit: int = _LISTING_LIMIT) -> subprocess.CompletedProcess[bytes]:
        place = [] if folder is None else [f"--git-dir={folder}"]
        command = ["git", *_QUIET, *place, *words]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self._environment
        ) as process:
            try:
                assert process.stdout is not None and process.stderr is not None
                told = process.stdout.read(limit + 1)
                if len(told) > limit:
                    raise UsageError(f"git {words[0]} says more than {limit} bytes: this repository is too large")
                _, errors = process.communicate(timeout=_TIMEOUT_S)
            except (UsageError, subprocess.TimeoutExpired):
                process.kill()
                raise
        return subprocess.CompletedProcess(command, process.returncode, told, errors)


# Said again for the one call that has to look into the student's own repository, to find what a branch is.
_QUIET = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
    "-c", "protocol.allow=never",
    "-c", "core.attributesFile=/dev/null", "-c", "core.alternateRefsCommand=true", "-c", "diff.external=",
    "-c", "safe.directory=*", "--no-pager", "--no-replace-objects", "--literal-pathspecs",
)  # fmt: skip


def _environment(scratch: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Only what git needs to be found; no settings of this machine or of the user."""
    return {
        "PATH": environment.get("PATH", os.defpath),
        "HOME": str(scratch),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ALLOW_PROTOCOL": "none",
    }


def _git_folder(folder: Path) -> Path:
    """Where a repository's objects are: a bare one, ``.git``, or what a file ``.git`` points to."""
    folder = folder.resolve()
    inner = folder / ".git"
    if inner.is_file():
        inner = folder / _pointed(inner, b"gitdir:")
    found = inner if inner.is_dir() else folder
    shared = found / "commondir"
    return (found / _pointed(shared, b"")).resolve() if shared.is_file() else found.resolve()


def _pointed(file: Path, key: bytes) -> str:
    with file.open("rb") as opened:
        return os.fsdecode(opened.read(_POINTER_LIMIT).removeprefix(key).strip())


def _listed(listing: bytes) -> Iterator[Entry]:
    for line in listing.split(b"\0"):
        facts, tab, path = line.partition(b"\t")
        if tab:
            mode, _, sha, size = facts.decode("ascii").split()
            yield Entry(path.decode("utf-8", "surrogateescape"), mode, sha, int(size) if size.isdigit() else 0)
