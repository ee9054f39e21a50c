"""One comment on a pull request that is always the latest, and a check on its commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from grader.ci.api import Api, Refused
from grader.ci.summary import COMMENT_LIMIT

MARKER = "<!-- attention-grader -->"
CHECK = "grading"
_LEVELS = {"error": "failure", "warning": "warning", "notice": "notice"}
_ANNOTATIONS = 50  # that a check takes at a time


@dataclass(frozen=True, slots=True)
class Target:
    """Where to post: known from the server, never from what was graded."""

    repository: str  # owner/name
    number: int
    head: str


@dataclass(frozen=True, slots=True)
class Message:
    """What to post. ``conclusion`` is one of GitHub's; ``annotations`` as `Annotation.as_json` gives them."""

    text: str
    title: str
    conclusion: str = "neutral"
    annotations: Sequence[Mapping[str, Any]] = ()


def may_show_marks(api: Api, repository: str) -> bool:
    """Whether nobody but its student and staff can read the repository."""
    found = api.get(f"/repos/{repository}")
    return found.get("private") is True and found.get("visibility", "private") == "private"


def is_current(api: Api, target: Target) -> bool:
    """Whether the commit is still the pull request's last one."""
    return bool(api.get(f"/repos/{target.repository}/pulls/{target.number}")["head"]["sha"] == target.head)


def post_comment(api: Api, target: Target, message: Message) -> str:
    """Create the comment, or put the new text into the one there is; what was done, in a word.

    A creation whose answer was lost is looked for before it is tried again: there is never a second comment.
    """
    body = {"body": f"{MARKER}\n{message.text[:COMMENT_LIMIT]}"}

    def attempt() -> str:
        for comment in _ours(api, target):
            try:
                api.patch(f"/repos/{target.repository}/issues/comments/{comment['id']}", body)
            except Refused as wrong:  # somebody else's, who copied our first line
                if wrong.status not in (403, 404):
                    raise
                continue
            return "updated"
        api.post_once(f"/repos/{target.repository}/issues/{target.number}/comments", body)
        return "created"

    return str(api.persistent(attempt))


def post_check(api: Api, target: Target, message: Message) -> str:
    """A check run on the commit; where the token may not make one, a plain status."""
    try:
        return str(api.persistent(lambda: _check(api, target, message)))
    except Refused as wrong:
        if wrong.status not in (403, 404):
            raise
    state = {"success": "success", "failure": "failure"}.get(message.conclusion, "pending")
    status = {"state": state, "context": CHECK, "description": message.title[:140]}
    api.persistent(lambda: api.post_once(f"/repos/{target.repository}/statuses/{target.head}", status))
    return "status"


def checked(api: Api, repository: str, head: str) -> bool:
    """Whether the commit has our check, or our status, already."""
    if _runs(api, repository, head):
        return True
    found = api.get(f"/repos/{repository}/commits/{head}/status")
    return any(status.get("context") == CHECK for status in found.get("statuses", []))


def _check(api: Api, target: Target, message: Message) -> str:
    annotations = [_annotation(each) for each in message.annotations if each.get("path")][:_ANNOTATIONS]
    output = {"title": message.title[:250], "summary": message.text[:COMMENT_LIMIT], "annotations": annotations}
    facts = {"status": "completed", "conclusion": message.conclusion, "output": output}
    for run in _runs(api, target.repository, target.head):
        api.patch(f"/repos/{target.repository}/check-runs/{run['id']}", facts)
        return "updated"
    api.post_once(f"/repos/{target.repository}/check-runs", {"name": CHECK, "head_sha": target.head, **facts})
    return "created"


def _runs(api: Api, repository: str, head: str) -> list[Mapping[str, Any]]:
    found = api.get(f"/repos/{repository}/commits/{head}/check-runs?check_name={quote(CHECK)}")
    return [run for run in found.get("check_runs", []) if run.get("name") == CHECK]


def _ours(api: Api, target: Target) -> list[Mapping[str, Any]]:
    """Comments that begin with our mark and were written by this token's owner, or a program."""
    every = api.pages(f"/repos/{target.repository}/issues/{target.number}/comments")
    marked = [comment for comment in every if str(comment.get("body", "")).startswith(MARKER)]
    me = _login(api) if marked else ""
    return [each for each in marked if each["user"].get("type") == "Bot" or each["user"].get("login") == me]


def _login(api: Api) -> str:
    """Whose token this is; "" for an app's, which may not ask."""
    try:
        return str(api.get("/user").get("login", ""))
    except Refused:
        return ""


def _annotation(each: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "path": each["path"],
        "start_line": each["line"],
        "end_line": each["line"],
        "annotation_level": _LEVELS.get(each["kind"], "notice"),
        "title": each["title"],
        "message": each["message"],
    }
