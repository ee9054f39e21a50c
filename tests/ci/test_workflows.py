"""What courses copy: well-formed, without a known weakness, and true to what it says about who holds which token."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from grader.cli import app

ROOT = Path(__file__).resolve().parents[2]
ACTION, GITLAB = ROOT / "action.yml", ROOT / "ci/gitlab/grader.gitlab-ci.yml"
WORKFLOWS = sorted((ROOT / "ci/github").glob("*.yml"))
GRADE = yaml.safe_load((ROOT / "ci/github/grade.yml").read_text(encoding="utf-8"))
WRITES = re.compile(r"^permission-\S+: write$|: write$", re.MULTILINE)


def test_zizmor_finds_nothing():
    zizmor = Path(sys.executable).parent / "zizmor"
    ran = subprocess.run(
        [str(zizmor), "--offline", "--no-progress", "--strict-collection", "--persona=auditor", str(ACTION), *map(str, WORKFLOWS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stderr.count("completed") == 1 + len(WORKFLOWS) == 3


@pytest.mark.parametrize(
    ("schema", "files"),
    [("github-workflows", WORKFLOWS), ("github-actions", [ACTION]), ("gitlab-ci", [GITLAB])],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_schema_holds(schema: str, files: list[Path]):
    transform = ["--data-transform", "gitlab-ci"] if schema == "gitlab-ci" else []
    ran = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *transform, *map(str, files)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr


def steps(job: dict[str, Any]) -> str:
    return yaml.safe_dump(job, width=10_000)


def test_the_job_that_grades_has_no_token_no_secret_and_no_network():
    grade = GRADE["jobs"]["grade"]
    assert grade["permissions"] == {} and "environment" not in grade
    assert not re.search(r"secrets\.|github\.token|TOKEN|create-github-app-token|checkout@", steps(grade))
    (run,) = (step["run"] for step in grade["steps"] if "run" in step)
    assert "--network none" in run and "--cap-drop ALL" in run and '--pack-digest "$PACK_DIGEST"' in run
    assert "--env" not in run


def test_only_the_job_that_posts_may_write_and_it_sees_reports_alone():
    for name, job in GRADE["jobs"].items():
        assert bool(WRITES.search(steps(job))) == (name == "post"), name
    post = steps(GRADE["jobs"]["post"])
    assert "name: result-${{ matrix.change.id }}" in post and "change-${{" not in post
    assert "take" not in GRADE["jobs"]["post"]["needs"]


def test_grading_starts_by_the_clock_in_a_private_repository_and_by_nothing_a_student_does():
    assert set(GRADE[True]) == {"schedule", "workflow_dispatch"}  # YAML reads `on` as true
    assert GRADE["jobs"]["find"]["if"] == "github.event.repository.private"
    assert GRADE["permissions"] == {}


def test_public_checks_hold_no_secret():
    text = (ROOT / "ci/github/public-checks.yml").read_text(encoding="utf-8")
    assert "secrets" not in text.replace("holds no secret", "") and "pull_request_target" not in text
    public = yaml.safe_load(text)
    assert public["permissions"] == {} and public["jobs"]["checks"]["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_commit_and_says_which_release(path: Path):
    uses = re.findall(r"(?m)^\s*(?:- )?uses: (\S+)(.*)$", path.read_text(encoding="utf-8"))
    assert uses
    for name, comment in uses:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", name) and re.match(r" # v\d", comment), name


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS, GITLAB], ids=lambda path: path.name)
def test_the_commands_are_ones_the_grader_knows(path: Path):
    """Every option in the files is one of the command it stands behind."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [
        line for line in text.splitlines() if re.search(r"(?:\"\$IMAGE\"|grader) .*\bci (?:--|find|take|post)", line)
    ]
    ci = app.get_command(click.Context(app), "ci")
    for line in lines:
        words = re.split(r"\bci (?=--|find|take|post)", line)[1].split()
        command = ci.commands.get(words[0], ci)
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known, line
    assert lines or path.name == "public-checks.yml"


def test_the_actions_own_step_calls_the_grader_from_outside_the_students_folder(tmp_path: Path):
    """Run as the runner does, with a grader that only notes where it is and what it is asked."""
    (run,) = (step["run"] for step in yaml.safe_load(ACTION.read_text())["runs"]["steps"] if step.get("id") == "grade")
    noted = tmp_path / "noted"
    fake = tmp_path / "grader-venv" / "bin" / "grader"
    fake.parent.mkdir(parents=True)
    fake.write_text(f'#!/bin/sh\nprintf "%s|" "$PWD" "$@" > {noted}\nexit 1\n')
    fake.chmod(0o755)
    known = {"COURSE": "/course", "REPOSITORY": "/student repo", "ASSIGNMENTS": "attention by_hand", "SPOKEN": "zh",
             "OUT": "/out", "PATH": os.environ["PATH"]}  # fmt: skip
    ran = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", run], cwd=tmp_path, env=known, check=False)
    assert ran.returncode == 1  # the job fails where the checks do
    assert noted.read_text().split("|")[:-1] == [
        str(tmp_path), "--course", "/course", "--lang", "zh", "ci", "--public", "--repository", "/student repo",
        "--out", "/out", "--assignment", "attention", "--assignment", "by_hand",
    ]  # fmt: skip


def test_the_image_that_grades_pull_requests_holds_nothing_private():
    box = (ROOT / "Dockerfile").read_text(encoding="utf-8").split("FROM box")[0]
    copied = [word for line in box.splitlines() if line.startswith("COPY") for word in line.split()[1:-1]]
    assert copied == ["constraints.txt", "pyproject.toml", "README.md", "LICENSE", "grader", "assignments"]
    assert "USER grader" in box and " AS box" in box
