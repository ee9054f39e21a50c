"""What GitHub and GitLab say, read into the two commits that matter."""

from __future__ import annotations

import pytest

from grader.ci.event import Asked, asked_by
from grader.errors import UsageError

ONE, TWO, ZERO = 40 * "1", 40 * "2", 40 * "0"


def github(event: str, payload: dict, **more: str) -> Asked:
    return asked_by({"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": event, "GITHUB_REPOSITORY": "c/r", **more}, payload)


def pull(head: str = "c/r", base: str = "c/r") -> dict:
    sides = {
        "head": {"sha": TWO, "repo": {"full_name": head}},
        "base": {"sha": ONE, "repo": {"full_name": base}},
    }
    return {"pull_request": {"number": 7, **sides}}


def test_a_pull_request_is_its_own_head_against_where_it_parted():
    assert github("pull_request", pull()) == Asked(
        TWO, ONE, True, service="github", event="pull_request", repository="c/r", number=7
    )
    assert github("pull_request", pull(head="student/r")).fork
    gone = pull()
    gone["pull_request"]["head"]["repo"] = None  # the fork was deleted meanwhile
    assert github("pull_request", gone).fork


def test_a_push_is_compared_with_what_was_there():
    asked = github("push", {"before": ONE, "after": TWO, "repository": {"default_branch": "main"}})
    assert (asked.head, asked.base, asked.since_parting, asked.nothing) == (TWO, ONE, False, False)


def test_a_first_push_has_nothing_before_it_but_the_default_branch():
    asked = github("push", {"before": ZERO, "after": TWO, "repository": {"default_branch": "main"}})
    assert (asked.base, asked.fallback) == (None, "origin/main")


def test_a_deleted_branch_is_nothing_to_grade():
    assert github("push", {"before": ONE, "after": ZERO}).nothing


def test_a_merge_queue_names_its_own_commits():
    asked = github("merge_group", {"merge_group": {"base_sha": ONE, "head_sha": TWO}})
    assert (asked.head, asked.base, asked.since_parting) == (TWO, ONE, True)


def test_a_dispatch_or_a_schedule_means_all_there_is():
    assert github("workflow_dispatch", {}, GITHUB_SHA=TWO).base is None
    assert github("workflow_run", {"workflow_run": {"head_sha": ONE}}, GITHUB_SHA=TWO).head == ONE


def test_gitlab_names_the_students_commit_in_a_merge_train():
    known = {
        "CI_COMMIT_SHA": 40 * "3",
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_PROJECT_PATH": "c/r",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": ONE,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": TWO,
        "CI_MERGE_REQUEST_IID": "4",
        "CI_MERGE_REQUEST_PROJECT_ID": "1",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "2",
    }
    asked = asked_by(known, {})
    assert (asked.head, asked.base, asked.number, asked.fork) == (TWO, ONE, 4, True)
    # Without merged results GitLab leaves the source branch's variable empty.
    assert asked_by({**known, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": ""}, {}).head == 40 * "3"


def test_gitlab_first_push():
    asked = asked_by({"CI_COMMIT_SHA": TWO, "CI_COMMIT_BEFORE_SHA": ZERO, "CI_DEFAULT_BRANCH": "main"}, {})
    assert (asked.head, asked.base, asked.fallback) == (TWO, None, "origin/main")


@pytest.mark.parametrize(
    "payload", [{}, {"pull_request": []}, {"pull_request": {"head": {}, "base": {}}}, pull() | {"pull_request": "x"}]
)
def test_a_payload_of_another_shape_says_what_to_type_instead(payload):
    with pytest.raises(UsageError, match="--base and --head"):
        github("pull_request", payload)


def test_an_option_for_git_is_no_commit():
    bad = pull()
    bad["pull_request"]["head"]["sha"] = "--output=/tmp/x"
    with pytest.raises(UsageError, match="no commit id"):
        github("pull_request", bad)


def test_outside_of_any_service_both_commits_have_to_be_named():
    with pytest.raises(UsageError, match="which change"):
        asked_by({"PATH": "/bin"}, {})
