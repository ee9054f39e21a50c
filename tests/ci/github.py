"""Plays GitHub: a few repositories behind an HTTP server that checks every request and remembers it."""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

READ, POST = "read-only-token", "posting-token"


@dataclass
class Asked:
    method: str
    path: str
    token: str
    body: Any


@dataclass
class GitHub:
    """``troubles``: answers given instead of the next ones that match (method, part of the path)."""

    git_root: Path
    private: bool = True
    app: bool = True  # the posting token is an app's: it may make checks, and its comments are a bot's
    pulls: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    checks: dict[int, dict[str, Any]] = field(default_factory=dict)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    activity: list[dict[str, Any]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    troubles: list[tuple[str, str, int, dict[str, str], bool]] = field(default_factory=list)
    url: str = ""

    @contextmanager
    def serving(self) -> Iterator[GitHub]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def open_pull(self, repository: str, number: int, head: str, base: str, *, source: str = "", branch: str = "work"):
        self.pulls[repository, number] = {
            "number": number, "state": "open", "user": {"login": "wei"},
            "head": {"sha": head, "ref": branch, "repo": {"full_name": source or repository}},
            "base": {"sha": base, "ref": "main", "repo": {"full_name": repository}},
        }  # fmt: skip
        self.activity.append({"after": head, "ref": f"refs/heads/{branch}", "timestamp": "2026-03-01T20:00:00Z"})

    def trouble(self, method: str, part: str, status: int, *, done: bool = False, **headers: str) -> None:
        """``done``: the request has its effect, only the answer is lost."""
        self.troubles.append((method, part, status, {k.replace("_", "-"): v for k, v in headers.items()}, done))

    def answer(self, method: str, path: str, query: dict[str, list[str]], token: str, body: Any) -> tuple[int, Any]:
        """What the real one would say, as far as it is asked here."""
        if method != "GET" and token != POST:
            return 403, {"message": "Resource not accessible"}
        me = {"login": "grader[bot]", "type": "Bot"} if self.app else {"login": "ta", "type": "User"}
        if path == "/user":
            return (403, {}) if self.app else (200, me)
        if found := re.fullmatch(r"/repos/([^/]+/[^/]+)", path):
            return 200, {"full_name": found[1], "private": self.private,
                         "visibility": "private" if self.private else "public"}  # fmt: skip
        if found := re.fullmatch(r"/repos/([^/]+/[^/]+)/pulls", path):
            return 200, [pull for (name, _), pull in self.pulls.items() if name == found[1]]
        if found := re.fullmatch(r"/repos/([^/]+/[^/]+)/pulls/(\d+)", path):
            pull = self.pulls.get((found[1], int(found[2])))
            return (200, pull) if pull else (404, {})
        if re.fullmatch(r"/repos/[^/]+/[^/]+/activity", path):
            return 200, [entry for entry in self.activity if entry["ref"] == query["ref"][0]]
        if re.fullmatch(r"/repos/[^/]+/[^/]+/issues/\d+/comments", path):
            if method == "POST":
                number = len(self.comments) + 1
                self.comments[number] = {"id": number, "user": me, "body": body["body"]}
                return 201, self.comments[number]
            page = int(query.get("page", ["1"])[0])
            return 200, list(self.comments.values())[100 * (page - 1) : 100 * page]
        if found := re.fullmatch(r"/repos/[^/]+/[^/]+/issues/comments/(\d+)", path):
            comment = self.comments[int(found[1])]
            if comment["user"]["login"] != me["login"]:
                return 403, {}
            comment["body"] = body["body"]
            return 200, comment
        if found := re.fullmatch(r"/repos/[^/]+/[^/]+/commits/([0-9a-f]+)/check-runs", path):
            runs = [run for run in self.checks.values() if run["head_sha"] == found[1]]
            return 200, {"check_runs": [run for run in runs if run["name"] == query["check_name"][0]]}
        if found := re.fullmatch(r"/repos/[^/]+/[^/]+/commits/([0-9a-f]+)/status", path):
            return 200, {"statuses": [each for each in self.statuses if each["sha"] == found[1]]}
        if re.fullmatch(r"/repos/[^/]+/[^/]+/check-runs", path):
            if not self.app:
                return 403, {}
            self.checks[len(self.checks) + 1] = {"id": len(self.checks) + 1, **body}
            return 201, {}
        if found := re.fullmatch(r"/repos/[^/]+/[^/]+/check-runs/(\d+)", path):
            self.checks[int(found[1])].update(body)
            return 200, {}
        if found := re.fullmatch(r"/repos/[^/]+/[^/]+/statuses/([0-9a-f]+)", path):
            self.statuses.append({"sha": found[1], **body})
            return 201, {}
        return 404, {"message": "Not Found"}


def _handler(hub: GitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            if ".git/" in parts.path:
                self.git(unquote(parts.path))
                return
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            hub.asked.append(Asked(self.command, parts.path, token, body))
            self.check(token)
            status, answer, headers = 0, None, {}
            for at, (method, part, code, more, done) in enumerate(hub.troubles):
                if method == self.command and part in parts.path:
                    del hub.troubles[at]
                    if done:
                        hub.answer(self.command, parts.path, parse_qs(parts.query), token, body)
                    status, answer, headers = code, {"message": "trouble"}, more
                    break
            else:
                status, answer = hub.answer(self.command, parts.path, parse_qs(parts.query), token, body)
            self.say(status, json.dumps(answer).encode(), headers)

        do_GET = do_POST = do_PATCH = handle_any  # noqa: N815

        def check(self, token: str) -> None:
            """What GitHub asks of every request."""
            if token not in (READ, POST):
                hub.wrong.append(f"{self.command} {self.path}: no token of ours: {token!r}")
            if self.command != "GET" and token != POST:
                hub.wrong.append(f"{self.command} {self.path}: a write without the posting token")
            for name, value in (("User-Agent", "attention-grader"), ("X-GitHub-Api-Version", "2022-11-28"),
                                ("Accept", "application/vnd.github+json")):  # fmt: skip
                if self.headers.get(name) != value:
                    hub.wrong.append(f"{self.path}: {name} is {self.headers.get(name)}")

        def git(self, path: str) -> None:
            """A bare repository by plain files, for those with the right to read."""
            basic = self.headers.get("Authorization", "").removeprefix("Basic ")
            user, _, token = base64.b64decode(basic).decode().partition(":")
            hub.asked.append(Asked("GIT", path, token, None))
            if (user, token) != ("x-access-token", READ):
                self.say(401, b"", {})
                return
            file = hub.git_root / path.lstrip("/")
            self.say(200 if file.is_file() else 404, file.read_bytes() if file.is_file() else b"", {})

        def say(self, status: int, data: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    return Handler
