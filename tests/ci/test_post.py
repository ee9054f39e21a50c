"""The steps with a token: what they ask for, how often, and that nothing is lost where GitHub fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.ci.api import Api, Refused, Unreachable
from grader.ci.posting import MARKER
from grader.ci.pulls import pull
from grader.cli import main
from grader.errors import UsageError
from tests.ci.github import POST, READ, GitHub

HEAD, BASE = 40 * "a", 40 * "b"
NAME = "course/hw-wei"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "served").serving() as started:
        started.open_pull(NAME, 7, HEAD, BASE)
        yield started
    assert started.wrong == []


@pytest.fixture
def waited() -> list[float]:
    return []


@pytest.fixture
def post(hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, waited: list[float]):
    """``grader ci post`` with the job's own environment; it never really sleeps."""
    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setenv("GITHUB_API_URL", hub.url)
    monkeypatch.setenv("GITHUB_TOKEN", POST)
    folder = tmp_path / "out"
    folder.mkdir()

    def run(*more: str, score: float = 18.0, head: str = HEAD, status: str = "graded") -> tuple[int, str]:
        done = [{"name": "attention", "status": status, "score": score, "max_score": 20.0}]
        annotation = {"kind": "error", "title": "t", "message": "m", "path": "attention.py", "line": 3}
        (folder / "result.json").write_text(
            json.dumps({"schema": "grader.ci/1", "head": HEAD, "headline": f"Attention: {score:g} / 20",
                        "assignments": done, "annotations": [annotation, annotation | {"path": ""}]})
        )  # fmt: skip
        (folder / "comment.md").write_text(f"## Grading\n\n{score:g} / 20\n")
        (folder / "comment-without-marks.md").write_text("## Grading\n\ngraded\n")
        code = main(["ci", "post", NAME, "7", head, "--results", str(folder), *more])
        return code, capsys.readouterr().err

    return run


def writes(hub: GitHub) -> list[str]:
    return [f"{each.method} {each.path.rpartition('/')[2]}" for each in hub.asked if each.method != "GET"]


def test_one_comment_is_created_once_and_then_updated(hub: GitHub, post):
    assert post(score=17)[0] == 0
    assert post(score=18)[0] == 0
    assert [comment["body"] for comment in hub.comments.values()] == [f"{MARKER}\n## Grading\n\n18 / 20\n"]
    assert writes(hub) == ["POST check-runs", "POST comments", "PATCH 1", "PATCH 1"]
    (check,) = hub.checks.values()
    assert (check["name"], check["head_sha"], check["conclusion"]) == ("grading", HEAD, "neutral")
    assert check["output"]["title"] == "Attention: 18 / 20"
    assert check["output"]["annotations"] == [
        {"path": "attention.py", "start_line": 3, "end_line": 3, "annotation_level": "failure", "title": "t", "message": "m"}
    ]  # fmt: skip


@pytest.mark.parametrize(("score", "status", "conclusion"), [
    (20.0, "graded", "success"), (0.0, "graded", "neutral"), (None, "not_gradable", "failure"),
    (None, "grader_fault", "neutral"),
])  # fmt: skip
def test_the_check_says_how_it_went(hub: GitHub, post, score, status, conclusion):
    post(score=score or 0.0, status=status)
    assert hub.checks[1]["conclusion"] == conclusion


def test_where_others_read_no_mark_is_shown(hub: GitHub, post):
    hub.private = False
    assert post()[0] == 0
    hub.private = True
    assert post("--shared")[0] == 0
    told = json.dumps([hub.comments, hub.checks])
    assert "18" not in told and "graded" in told
    assert hub.checks[1]["output"]["annotations"] == [] and hub.checks[1]["conclusion"] == "neutral"


def test_a_comment_of_a_student_who_copied_the_mark_is_left_alone(hub: GitHub, post):
    hub.comments[1] = {"id": 1, "user": {"login": "wei", "type": "User"}, "body": f"{MARKER}\n20 / 20"}
    hub.comments[2] = {"id": 2, "user": {"login": "github-actions[bot]", "type": "Bot"}, "body": f"{MARKER}\n20 / 20"}
    post()
    post()
    assert hub.comments[1]["body"] == hub.comments[2]["body"] == f"{MARKER}\n20 / 20"
    assert len(hub.comments) == 3 and "18 / 20" in hub.comments[3]["body"]


def test_the_comment_is_found_behind_a_hundred_others(hub: GitHub, post):
    for number in range(1, 131):
        hub.comments[number] = {"id": number, "user": {"login": "wei", "type": "User"}, "body": "hello"}
    post()
    post()
    assert len(hub.comments) == 131


def test_a_persons_token_updates_its_own_comment_and_sets_a_status(hub: GitHub, post):
    hub.app = False
    post()
    post()
    assert len(hub.comments) == 1 and hub.checks == {}
    assert {(each["state"], each["context"]) for each in hub.statuses} == {("pending", "grading")}


def test_troubles_that_pass_are_waited_for_as_long_as_the_server_says(hub: GitHub, post, waited):
    hub.trouble("GET", "/repos/course/hw-wei", 502)
    hub.trouble("GET", "check-runs", 429, Retry_After="7")
    hub.trouble("POST", "check-runs", 503)
    hub.trouble("GET", "comments", 403, X_RateLimit_Remaining="0", X_RateLimit_Reset="1")
    hub.trouble("POST", "comments", 500)
    assert post()[0] == 0
    assert hub.troubles == [] and len(hub.comments) == len(hub.checks) == 1
    assert sorted(waited) == [0.0, 1.0, 1.0, 1.0, 7.0]


def test_a_creation_whose_answer_was_lost_is_not_done_twice(hub: GitHub, post):
    hub.trouble("POST", "comments", 502, done=True)
    hub.trouble("POST", "check-runs", 504, done=True)
    assert post()[0] == 0
    assert len(hub.comments) == len(hub.checks) == 1


def test_a_failed_post_loses_nothing_and_can_be_done_again(hub: GitHub, post, tmp_path: Path):
    for _ in range(5):
        hub.trouble("POST", "comments", 503)
    code, told = post()
    assert code == 3 and "nothing is lost" in told and POST not in told
    assert (tmp_path / "out" / "result.json").is_file()
    assert post()[0] == 0 and len(hub.comments) == 1


def test_no_answer_at_all_is_a_fault_and_no_traceback(hub: GitHub, post, monkeypatch):
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")
    code, told = post()
    assert code == 3 and "nothing is lost" in told and "Traceback" not in told


def test_a_refusal_is_not_asked_again(hub: GitHub, post, waited):
    hub.trouble("GET", "/repos/course/hw-wei", 404)
    assert post()[0] == 3 and waited == []


def test_an_older_commits_result_does_not_replace_a_newer_comment(hub: GitHub, post):
    hub.pulls[NAME, 7]["head"]["sha"] = 40 * "c"
    code, told = post()
    assert code == 0 and "newer commit" in told
    assert hub.comments == {} and len(hub.checks) == 1


def test_another_commits_result_is_not_posted(hub: GitHub, post):
    assert post(head=40 * "d")[0] == 2
    assert hub.asked == []


def test_what_is_no_result_is_not_posted(hub: GitHub, post, tmp_path: Path):
    post()
    before = len(hub.asked)
    for text in ("", "[]", '{"schema": "other"}'):
        (tmp_path / "out" / "result.json").write_text(text)
        assert main(["ci", "post", NAME, "7", HEAD, "--results", str(tmp_path / "out")]) == 2
    assert len(hub.asked) == before


def test_without_a_token_nothing_is_asked(hub: GitHub, post, monkeypatch):
    monkeypatch.delenv("GITHUB_TOKEN")
    monkeypatch.delenv("GH_TOKEN", raising=False)
    code, told = post()
    assert code == 2 and "GITHUB_TOKEN" in told and hub.asked == []


def test_a_token_is_not_sent_in_the_open_nor_after_a_redirect(hub: GitHub):
    with pytest.raises(UsageError, match="https"):
        Api("http://example.org", READ)
    hub.trouble("GET", "/user", 302, Location=f"{hub.url}/elsewhere")
    with pytest.raises(Refused):
        Api(hub.url, READ).get("/user")
    assert [each.path for each in hub.asked] == ["/user"]
    assert READ not in repr(Api(hub.url, READ))


def test_a_server_that_never_recovers_is_left_alone_in_the_end(hub: GitHub, waited):
    for _ in range(9):
        hub.trouble("GET", "/user", 500)
    with pytest.raises(Unreachable):
        Api(hub.url, READ, waited.append).get("/user")
    assert waited == [1.0, 2.0, 4.0, 8.0]


def test_the_time_of_a_push_is_the_servers(hub: GitHub):
    found = pull(Api(hub.url, READ), NAME, 7)
    assert (found.handed_in, found.fork, found.base_branch) == ("2026-03-01T20:00:00Z", False, "main")
    hub.trouble("GET", "activity", 403)
    assert pull(Api(hub.url, READ), NAME, 7).handed_in == ""
    hub.pulls[NAME, 7]["head"]["repo"] = None
    assert pull(Api(hub.url, READ), NAME, 7).fork
    for bad in ("../x/y", "a/b/c", "a", "a/b?x=1"):
        with pytest.raises(UsageError):
            pull(Api(hub.url, READ), bad, 7)


def test_open_pull_requests_without_a_check_are_found(hub: GitHub, post, tmp_path: Path, monkeypatch, capsys):
    listed = tmp_path / "students.txt"
    listed.write_text(f"# the class\n{NAME}\n\n")
    hub.open_pull(NAME, 8, 40 * "e", BASE)
    post()
    monkeypatch.setenv("GITHUB_TOKEN", READ)
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    assert main(["ci", "find", str(listed)]) == 0
    wanted = [{"id": 0, "repository": NAME, "name": "hw-wei", "number": 8, "head": 40 * "e"}]
    assert json.loads(capsys.readouterr().out) == wanted
    assert json.loads((tmp_path / "output").read_text().removeprefix("changes=")) == wanted
