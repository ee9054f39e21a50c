"""``grader ci find``, ``take`` and ``post``: the steps with a token. None of them runs, or looks into, a submission."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.ci.api import Api
from grader.ci.posting import Message, Target, is_current, may_show_marks, post_check, post_comment
from grader.ci.pulls import Pull, pull, repository_name, ungraded
from grader.commands.ci_tell import SCHEMA
from grader.commands.console import note, say, write_document
from grader.commands.exits import Exit
from grader.commands.setting import Setting
from grader.errors import GraderFault, UsageError
from grader.model.outcome import Status

_FETCH_S = 600.0
_FILE_LIMIT = 5_000_000  # bytes of a file that was graded into
_AT_ONCE = 200  # pull requests in one run; GitHub starts at most 256 jobs of a kind


@dataclass(frozen=True, slots=True)
class Server:
    """Where GitHub is and what this step may do there; ``wait`` sleeps."""

    api: Api
    url: str  # of the repositories

    @classmethod
    def of(cls, environment: Mapping[str, str], wait: Callable[[float], None]) -> Server:
        """Raises ``UsageError`` where there is no token."""
        token = environment.get("GITHUB_TOKEN") or environment.get("GH_TOKEN")
        if not token:
            raise UsageError("GITHUB_TOKEN is not set; this step asks GitHub, and grading does not")
        api = Api(environment.get("GITHUB_API_URL", "https://api.github.com"), token, wait,
                  urllib.request.getproxies())  # fmt: skip
        return cls(api, environment.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/"))


def find(setting: Setting, server: Server, listed: Path, environment: Mapping[str, str]) -> Exit:
    """The pull requests to grade, as JSON for a matrix: of the repositories that a file of ours lists."""
    try:
        lines = (setting.folder / listed).read_text(encoding="utf-8").splitlines()
    except OSError as wrong:
        raise UsageError(f"{listed}: {wrong.strerror or wrong}") from None
    names = [repository_name(line.strip()) for line in lines if line.strip() and not line.startswith("#")]
    found = [
        {"id": at, "repository": repository, "name": repository.partition("/")[2], "number": number, "head": head}
        for at, (repository, number, head) in zip(range(_AT_ONCE), ungraded(server.api, names), strict=False)
    ]
    told = json.dumps(found, separators=(",", ":"))
    say(told)
    if path := environment.get("GITHUB_OUTPUT"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"changes={told}\n")
    return Exit.DONE


def take(setting: Setting, server: Server, repository: str, number: int, head: str | None, out: Path) -> Exit:
    """Write ``change.json`` and ``repository.git``: facts and objects, nothing checked out, nothing run."""
    found = pull(server.api, repository, number)
    if head is not None and head != found.head:
        note(f"{repository}#{number} is at {found.head[:10]} by now; {head[:10]} is taken all the same")
        found = replace(found, head=head, handed_in="")
    out = setting.folder / out
    out.mkdir(parents=True, exist_ok=True)
    _fetch(server, found, out / "repository.git", setting.environment)
    write_document(out / "change.json", json.dumps(found.as_json(), indent=1) + "\n")
    say(f"{repository}#{number} at {found.head[:10]}, pushed {found.handed_in or 'at a time the server does not tell'}")
    return Exit.DONE


def post(
    setting: Setting, server: Server, where: tuple[str, int, str], out: Path, *, shared: bool = False
) -> Exit:  # fmt: skip
    """The comment and the check of a graded change. What fails here costs no result: the files stay."""
    folder, target = setting.folder / out, Target(*where)
    result = _result(folder / "result.json")
    if result["head"] != target.head:
        raise UsageError(f"{out} holds the result of {result['head'][:10]}, not of {target.head[:10]}")
    repository_name(target.repository)
    try:
        message = _message(folder, result, marks=not shared and may_show_marks(server.api, target.repository))
        say(f"check: {post_check(server.api, target, message)}")
        if is_current(server.api, target):
            say(f"comment: {post_comment(server.api, target, message)}")
        else:
            note("the pull request has a newer commit; its own run writes the comment")
    except (GraderFault, KeyError, TypeError) as wrong:
        note(f"grader: not posted: {wrong}")
        note(f"grader: nothing is lost: the result stays in {out}; run 'grader ci post' again")
        return Exit.FAULT
    return Exit.DONE


def _message(folder: Path, result: Mapping[str, Any], *, marks: bool) -> Message:
    """With marks where only the student and staff read it; else that it was graded, and no more."""
    if not marks:
        return Message(_text(folder / "comment-without-marks.md"), "graded")
    done = [(each["status"], each["score"], each["max_score"]) for each in result["assignments"]]
    if any(status != Status.GRADED for status, _, _ in done):
        conclusion = "neutral" if any(status == Status.GRADER_FAULT for status, _, _ in done) else "failure"
    else:
        conclusion = "success" if all(score == most for _, score, most in done) else "neutral"
    return Message(_text(folder / "comment.md"), str(result["headline"]), conclusion, result["annotations"])


def _result(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(path))
    except ValueError as wrong:
        raise UsageError(f"{path} is no result of 'grader ci' ({wrong})") from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise UsageError(f"{path} is no result of 'grader ci'")
    return found


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_FILE_LIMIT + 1)
    except OSError as wrong:
        raise UsageError(f"{path}: {wrong.strerror or wrong}; was this change graded?") from None
    if len(data) > _FILE_LIMIT:
        raise UsageError(f"{path} is larger than a result is")
    return data.decode("utf-8", "replace")


def _fetch(server: Server, found: Pull, into: Path, environment: Mapping[str, str]) -> None:
    """The pull request's objects and the base's. The token is in the environment of git alone, never on its line."""
    basic = base64.b64encode(f"x-access-token:{server.api.token}".encode()).decode()
    settings = {
        "http.extraHeader": f"Authorization: Basic {basic}",
        "http.followRedirects": "false",
        "core.hooksPath": os.devnull,
        "protocol.allow": "never",
        "protocol.https.allow": "always",
        **({"protocol.http.allow": "always"} if server.url.startswith("http://") else {}),
    }
    known = {"PATH": environment.get("PATH", os.defpath), "HOME": str(into), "GIT_CONFIG_NOSYSTEM": "1",
             "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}  # fmt: skip
    for at, (key, value) in enumerate(settings.items()):
        known |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    known["GIT_CONFIG_COUNT"] = str(len(settings))
    _git(["init", "--quiet", "--bare", "--template=", str(into)], known)
    _git(
        ["--git-dir", str(into), "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--end-of-options",
         f"{server.url}/{found.repository}.git", f"+refs/pull/{found.number}/head:refs/heads/pull",
         f"+refs/heads/{found.base_branch}:refs/heads/base"],
        known,
    )  # fmt: skip
    _git(["--git-dir", str(into), "cat-file", "-e", f"{found.head}^{{commit}}"], known)


def _git(words: Sequence[str], environment: Mapping[str, str]) -> None:
    try:
        ran = subprocess.run(["git", *words], env=dict(environment), stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=_FETCH_S, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise GraderFault(f"git {words[0]} took longer than {_FETCH_S:g} s") from None
    if ran.returncode:
        said = ran.stderr.decode("utf-8", "replace").strip().split("\n")[-1][:300]
        raise GraderFault(f"the pull request's objects could not be fetched: {said}")
