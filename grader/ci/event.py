"""What a CI service says about the change to look at: read from its variables and the event's payload."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.errors import UsageError

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ZERO = re.compile(r"0{40}|0{64}")
GITHUB, GITLAB = "github", "gitlab"
CHANGE = "grader.change/1"


@dataclass(frozen=True, slots=True)
class Asked:
    """The commit to grade and the one to compare it with.

    ``base`` None: everything counts as changed. ``since_parting``: what was done on the other side since both parted
    does not count. ``fallback`` is the branch a first push is compared with.
    """

    head: str
    base: str | None = None
    since_parting: bool = False
    fallback: str = ""
    service: str = ""
    event: str = ""
    repository: str = ""
    number: int | None = None
    fork: bool = False
    handed_in: str = ""  # when the push came, by the server's clock
    nothing: bool = False  # a branch was deleted: there is nothing to grade


def asked_by(environment: Mapping[str, str], payload: Mapping[str, Any]) -> Asked:
    """What GitHub or GitLab asks for. Raises ``UsageError`` where no service speaks, with what to type instead."""
    if environment.get("GITHUB_ACTIONS") == "true" or "GITHUB_EVENT_NAME" in environment:
        return _github(environment, payload)
    if "CI_COMMIT_SHA" in environment:
        return _gitlab(environment)
    raise UsageError("which change? Give --base and --head, or run this where GitHub or GitLab says it")


def asked_by_file(facts: object) -> Asked:
    """The change that was looked up before (`grader.ci.pulls`). Raises ``UsageError`` for facts of another form."""
    if not isinstance(facts, dict) or facts.get("schema") != CHANGE:
        raise UsageError(f"this is no change of schema {CHANGE}")
    return Asked(
        _sha(facts, "head"), _sha(facts, "base"), True, service=GITHUB, event="pull_request",
        repository=str(facts.get("repository", "")), number=_number(facts.get("number")),
        fork=facts.get("fork") is True, handed_in=str(facts.get("handed_in", "")),
    )  # fmt: skip


def _github(environment: Mapping[str, str], payload: Mapping[str, Any]) -> Asked:
    event, repository = environment.get("GITHUB_EVENT_NAME", ""), environment.get("GITHUB_REPOSITORY", "")
    change = _github_change(event, environment, payload)
    return replace(change, service=GITHUB, event=event, repository=repository)


def _github_change(event: str, environment: Mapping[str, str], payload: Mapping[str, Any]) -> Asked:
    if event in ("pull_request", "pull_request_target", "pull_request_review"):
        pull = _within(payload, "pull_request")
        head, base = _within(pull, "head"), _within(pull, "base")
        fork = _full_name(head) != _full_name(base)
        return Asked(_sha(head, "sha"), _sha(base, "sha"), True, number=_number(pull.get("number")), fork=fork)
    if event == "merge_group":
        group = _within(payload, "merge_group")
        return Asked(_sha(group, "head_sha"), _sha(group, "base_sha"), since_parting=True)
    if event == "workflow_run":
        return Asked(_sha(_within(payload, "workflow_run"), "head_sha"))
    if event == "push":
        return _pushed(_sha(payload, "before"), _sha(payload, "after"), _default_branch(payload))
    return Asked(_sha(environment, "GITHUB_SHA"))


def _gitlab(environment: Mapping[str, str]) -> Asked:
    event, repository = environment.get("CI_PIPELINE_SOURCE", ""), environment.get("CI_PROJECT_PATH", "")
    return replace(_gitlab_change(environment), service=GITLAB, event=event, repository=repository)


def _gitlab_change(environment: Mapping[str, str]) -> Asked:
    commit = _sha(environment, "CI_COMMIT_SHA")
    if parted := environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        # In a merge train the commit is the merge; the student's own one stands beside it.
        head = environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or commit
        theirs, ours = (environment.get(f"CI_MERGE_REQUEST_{side}PROJECT_ID") for side in ("SOURCE_", ""))
        number = _number(environment.get("CI_MERGE_REQUEST_IID"))
        return Asked(head, parted, since_parting=True, number=number, fork=theirs != ours)
    before = environment.get("CI_COMMIT_BEFORE_SHA") or "0" * 40
    return _pushed(before, commit, environment.get("CI_DEFAULT_BRANCH", ""))


def _pushed(before: str, after: str, default_branch: str) -> Asked:
    nothing, first = _ZERO.fullmatch(after) is not None, _ZERO.fullmatch(before) is not None
    fallback = f"origin/{default_branch}" if default_branch else ""
    return Asked(after, None if first else before, fallback=fallback, nothing=nothing)


def _within(payload: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = payload.get(key)
    if not isinstance(found, dict):
        raise UsageError(f"the event's payload has no '{key}'; give --base and --head instead")
    return found


def _sha(facts: Mapping[str, Any], key: str) -> str:
    found = facts.get(key)
    if not isinstance(found, str) or _SHA.fullmatch(found) is None:
        raise UsageError(f"the event's '{key}' is no commit id; give --base and --head instead")
    return found


def _full_name(side: Mapping[str, Any]) -> str:
    repository = side.get("repo")
    return str(repository.get("full_name", "")) if isinstance(repository, dict) else ""  # a deleted fork has none


def _default_branch(payload: Mapping[str, Any]) -> str:
    repository = payload.get("repository")
    return str(repository.get("default_branch", "")) if isinstance(repository, dict) else ""


def _number(value: object) -> int | None:
    return int(str(value)) if str(value).isdigit() else None
