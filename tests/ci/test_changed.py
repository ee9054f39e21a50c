"""Which assignments a change touches."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.ci.event import Asked
from grader.ci.objects import Repository
from grader.commands.ci_change import Change, asked_for, read_change
from grader.errors import UsageError
from tests.ci.conftest import ATTENTION, ROOT, SOLUTION, STUB, UNSCALED, Git

MASK = (ROOT / "reference/causal_mask/solution.py").read_text(encoding="utf-8")


@pytest.fixture
def change(git: Git, tmp_path: Path):
    """The change between two commits, read into folders."""
    count = iter(range(100))

    def read(
        base: str | None = "main", head: str = "HEAD", asked: Asked | None = None, names=(), folder=None
    ) -> Change:
        place = tmp_path / f"run{next(count)}"
        (place / "git").mkdir(parents=True)
        repository = Repository(folder or git.folder, place / "git", {"PATH": os.environ["PATH"]})
        wanted = asked or asked_for(head, base, {}, git.folder)
        return read_change(load_course(ROOT), wanted, repository, names, place / "taken")

    git("checkout", "--quiet", "-b", "work")
    return read


def names(change: Change) -> list[str]:
    return [each.assignment.name for each in change.touched]


def test_only_what_changed_is_touched(git: Git, change):
    git.commit({ATTENTION: SOLUTION, "notes.txt": "hello"})
    (touched,) = change().touched
    assert (touched.assignment.name, touched.home) == ("attention", "assignments/attention")
    assert (touched.folder / "attention.py").read_text() == SOLUTION
    assert sorted(path.name for path in touched.folder.iterdir()) == ["attention.py", "checks_public.py"]


def test_what_the_course_did_meanwhile_is_not_the_students(git: Git, change):
    git.commit({ATTENTION: SOLUTION})
    git("checkout", "--quiet", "main")
    git.commit({"assignments/causal_mask/causal_mask.py": STUB})
    git("checkout", "--quiet", "work")
    assert names(change()) == ["attention"]


def test_a_change_of_papers_touches_nothing(git: Git, change):
    git.commit({"assignments/attention/README.md": "my notes", "a.txt": "x"})
    assert names(change()) == []


def test_a_module_beside_the_file_touches_its_assignment(git: Git, change):
    git.commit({"assignments/attention/mine/softmax.py": "def softmax(x):\n    return x\n"})
    (touched,) = change().touched
    assert touched.assignment.name == "attention"
    assert (touched.folder / "mine" / "softmax.py").is_file()


def test_a_renamed_file_is_followed(git: Git, change):
    git.commit({ATTENTION: SOLUTION})
    git("branch", "done")
    git.commit({ATTENTION: None, "assignments/attention/attn.py": SOLUTION})
    (touched,) = change("done").touched
    assert (touched.assignment.name, touched.home) == ("attention", "assignments/attention")
    git.commit({"assignments/attention/attn.py": None, "week3/mine.py": SOLUTION})
    # One step further away: known by where it came from alone.
    git("checkout", "--quiet", "done")
    git.commit({ATTENTION: None, "week3/mine.py": SOLUTION})
    (touched,) = change("done~1").touched
    assert (touched.assignment.name, touched.home) == ("attention", "week3")
    assert (touched.folder / "mine.py").read_text() == SOLUTION


def test_a_removed_file_is_told_as_removed(git: Git, change):
    git.commit({ATTENTION: None, "assignments/attention/checks_public.py": None})
    (touched,) = change().touched
    assert touched.assignment.name == "attention" and touched.hand_in is None


@pytest.mark.parametrize(
    "place", ["attention.py", "hw/attention/attention.py", "attention/solution.py", "Attention.py"]
)
def test_other_layouts_of_a_repository(git: Git, change, place: str):
    git.commit({ATTENTION: None, "assignments/attention/checks_public.py": None})
    git.commit({place: SOLUTION})
    (touched,) = change(git("rev-parse", "HEAD~1")).touched
    assert touched.assignment.name == "attention"
    assert touched.home == place.rpartition("/")[0]


def test_the_work_counts_where_it_is_not_where_the_stub_lies(git: Git, change):
    git.commit({"attention.py": UNSCALED})
    (touched,) = change().touched
    assert touched.home == ""
    assert [flag.kind for flag in touched.flags] == ["elsewhere"]


def test_files_of_several_assignments_in_one_folder(git: Git, change):
    git.commit({"w/attention.py": SOLUTION, "w/causal_mask.py": MASK})
    git("branch", "both")
    git.commit({"w/attention.py": UNSCALED})
    assert names(change("both")) == ["attention"]
    git.commit({"w/causal_mask.py": "from attention import attention_scores\n" + MASK})
    git("branch", "importing")
    git.commit({"w/attention.py": SOLUTION})
    assert names(change("importing")) == ["attention", "causal_mask"]  # its marks may move, too


def test_a_first_push_grades_what_is_more_than_the_stub(git: Git, change):
    git.commit({ATTENTION: SOLUTION})
    assert names(change(asked=Asked(git("rev-parse", "HEAD")))) == ["attention"]
    assert names(change(base=40 * "0")) == ["attention"]


def test_a_first_push_of_a_branch_is_compared_with_the_default_branch(git: Git, change):
    git.commit({"assignments/causal_mask/causal_mask.py": MASK})
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    head = git.commit({ATTENTION: SOLUTION})
    assert names(change(asked=Asked(head, fallback="origin/main"))) == ["attention"]
    # The default branch's own first push has nothing else to be compared with.
    git("update-ref", "refs/remotes/origin/main", head)
    assert names(change(asked=Asked(head, fallback="origin/main"))) == ["attention", "causal_mask"]


def test_a_clone_without_the_other_commit_grades_all_and_says_so(git: Git, change, tmp_path: Path):
    head = git.commit({ATTENTION: SOLUTION})
    git("clone", "--quiet", "--depth=1", f"file://{git.folder}", str(tmp_path / "shallow"))
    found = change(asked=Asked(head, git("rev-parse", "main"), True), folder=tmp_path / "shallow")
    assert names(found) == ["attention"]
    assert "fetch-depth: 0" in found.notes[0]
    with pytest.raises(UsageError, match="not in this clone"):
        change(asked=Asked(40 * "e"))


def test_a_named_assignment_is_graded_whether_touched_or_not(git: Git, change):
    git.commit({ATTENTION: SOLUTION})
    assert names(change(names=["causal_mask"])) == ["causal_mask"]
    with pytest.raises(UsageError, match="did you mean 'attention'"):
        change(names=["atention"])


def test_what_a_student_should_not_change_is_flagged(git: Git, change):
    git.commit({ATTENTION: SOLUTION})
    assert change().flags == ()
    git.commit({
        ".github/workflows/checks.yml": "on: pull_request_target\n",
        ".gitlab-ci.yml": "x: y\n",
        "assignments/attention/checks_public.py": "# nothing is checked\n",
        "conftest.py": "import os\n",
        "assignments/attention/torch.py": "matmul = None\n",
        "assignments/attention/random/__init__.py": "",
        "evil.pth": "import os\n",
        "sitecustomize.py": "",
        "data.bin": b"\0" * 12_000_000,
        "weights.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 50000000\n",
    })  # fmt: skip
    (git.folder / "link").symlink_to("/etc/passwd")
    git("add", "link")
    git("update-index", "--add", "--cacheinfo", f"160000,{git('rev-parse', 'HEAD')},module")
    git("commit", "--quiet", "--message", "odd")
    found = {(flag.kind, flag.detail.split(":")[0]) for flag in change().flags}
    assert found == {
        ("protected_path", "changed .github/workflows/checks.yml"),
        ("protected_path", "added .gitlab-ci.yml"),
        ("protected_path", "changed assignments/attention/checks_public.py"),
        ("protected_path", "added conftest.py"),
        ("protected_path", "added evil.pth"),
        ("protected_path", "added sitecustomize.py"),
        ("named_like_a_library", "added assignments/attention/torch.py"),
        ("named_like_a_library", "added assignments/attention/random/__init__.py"),
        ("large_file", "data.bin"),
        ("lfs_pointer", "weights.bin"),
        ("symlink", "link"),
        ("submodule", "module"),
    }  # fmt: skip


def test_a_first_push_of_what_was_handed_out_has_no_flags(git: Git, change):
    assert change(asked=Asked(git("rev-parse", "HEAD"))).flags == ()
    git.commit({"assignments/attention/conftest.py": "import os\n"})
    kinds = [flag.detail for flag in change(asked=Asked(git("rev-parse", "HEAD"))).flags]
    assert kinds == ["added assignments/attention/conftest.py"]


def test_the_payload_is_read_from_the_services_file(git: Git, tmp_path: Path):
    sides = {side: {"sha": git("rev-parse", "HEAD"), "repo": {"full_name": "c/r"}} for side in ("head", "base")}
    path = tmp_path / "event.json"
    path.write_text(json.dumps({"pull_request": {"number": 3, **sides}}))
    known = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(path)}
    assert asked_for(None, None, known, git.folder).number == 3
    path.write_text("{")
    with pytest.raises(UsageError, match="GITHUB_EVENT_PATH"):
        asked_for(None, None, known, git.folder)
