"""Pull requests as the server knows them: their commits, their repositories, and when a push really came."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import quote

from grader.ci.api import Api, Refused
from grader.ci.event import CHANGE
from grader.ci.posting import checked
from grader.errors import GraderFault, UsageError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request at one commit. ``handed_in`` is the server's time of the push, "" where it does not say."""

    repository: str
    number: int
    head: str
    base: str
    fork: bool = False
    handed_in: str = ""
    author: str = ""
    base_branch: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"schema": CHANGE, **asdict(self)}


def repository_name(text: str) -> str:
    """``owner/name``, or ``UsageError``: it becomes part of an address."""
    if _NAME.fullmatch(text) is None:
        raise UsageError(f"'{text}' is no repository; write owner/name")
    return text


def pull(api: Api, repository: str, number: int) -> Pull:
    """The facts of a pull request as it is now."""
    found = api.get(f"/repos/{repository_name(repository)}/pulls/{number}")
    head, base = found["head"], found["base"]
    if not all(_SHA.fullmatch(str(side.get("sha"))) for side in (head, base)):
        raise GraderFault(f"{repository}#{number}: the server names no commits")
    source = (head.get("repo") or {}).get("full_name", "")
    return Pull(
        repository=repository,
        number=number,
        head=head["sha"],
        base=base["sha"],
        fork=source != repository,
        handed_in=_pushed_at(api, source, head.get("ref", ""), head["sha"]) if source else "",
        author=str((found.get("user") or {}).get("login", "")),
        base_branch=str(base.get("ref", "")),
    )


def ungraded(api: Api, repositories: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    """Repository, number and commit of the open pull requests whose last commit has no check of ours yet."""
    for repository in repositories:
        for found in api.pages(f"/repos/{repository_name(repository)}/pulls?state=open"):
            head = str(found["head"]["sha"])
            if not checked(api, repository, head):
                yield repository, int(found["number"]), head


def _pushed_at(api: Api, repository: str, branch: str, head: str) -> str:
    """From the server's own log of pushes: the dates in a commit are whatever its author liked."""
    path = f"/repos/{repository_name(repository)}/activity?ref={quote(f'refs/heads/{branch}', safe='')}&per_page=100"
    try:
        log = api.get(path)
    except Refused:  # not every token may read it
        return ""
    times = [str(entry.get("timestamp", "")) for entry in log if entry.get("after") == head]
    return min(times, default="")
