"""GitHub's REST interface, as much as is needed: bounded answers, waits where waiting helps, a token told nobody."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import IO, Any
from urllib.parse import urlsplit

from grader.errors import GraderFault, UsageError

_ANSWER_LIMIT = 20_000_000  # bytes
_TIMEOUT_S = 30.0
_TRIES = 5
_LONGEST_S = 120.0  # no wait is longer; a job has minutes, not hours
_PAGES = 20
_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})


class Unreachable(GraderFault):
    """It did not answer, or not in time; asking again may help."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class Refused(GraderFault):
    """It said no: asking again changes nothing."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to wherever it leads."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Api:
    """One server and one token. ``wait`` sleeps; ``proxies`` as `urllib.request.getproxies` gives them."""

    url: str
    token: str = field(repr=False)
    wait: Callable[[float], None] = time.sleep
    proxies: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme != "https" and parts.hostname not in _LOCAL:
            raise UsageError(f"{self.url}: a token goes over https only")

    def get(self, path: str) -> Any:
        return self.persistent(lambda: self._once("GET", path, None))

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.persistent(lambda: self._once("PATCH", path, body))

    def post_once(self, path: str, body: Mapping[str, Any]) -> Any:
        """Not tried again by itself: what was lost may be the answer alone. Raises ``Unreachable`` then."""
        return self._once("POST", path, body)

    def pages(self, path: str) -> Iterator[Any]:
        """All entries of a listing, at most some thousands."""
        joint = "&" if "?" in path else "?"
        for page in range(1, _PAGES + 1):
            found = self.get(f"{path}{joint}per_page=100&page={page}")
            if not isinstance(found, list):
                raise GraderFault(f"{path}: a list was expected")
            yield from found
            if len(found) < 100:
                return

    def persistent(self, attempt: Callable[[], Any]) -> Any:
        """Try until it answers: longer and longer waits, or as long as the server says."""
        for number in range(_TRIES):
            try:
                return attempt()
            except Unreachable as failed:
                if number == _TRIES - 1:
                    raise
                self.wait(min(failed.wait_s if failed.wait_s is not None else 2.0**number, _LONGEST_S))
        raise AssertionError("unreachable")

    def _once(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        request = urllib.request.Request(
            self.url.rstrip("/") + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.token}",
                "Accept": "application/vnd.github+json",
                "X-GitHub-Api-Version": "2022-11-28",
                "User-Agent": "attention-grader",
                **({} if body is None else {"Content-Type": "application/json"}),
            },
        )
        opener = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler(dict(self.proxies)))
        try:
            with opener.open(request, timeout=_TIMEOUT_S) as answer:
                return _parsed(answer, f"{method} {path}")
        except urllib.error.HTTPError as wrong:
            with wrong:
                raise _failure(wrong, f"{method} {path}") from None
        except (urllib.error.URLError, TimeoutError, ConnectionError) as wrong:
            raise Unreachable(f"{method} {path}: {getattr(wrong, 'reason', wrong)}") from None


def _parsed(answer: IO[bytes], asked: str) -> Any:
    data = answer.read(_ANSWER_LIMIT + 1)
    if len(data) > _ANSWER_LIMIT:
        raise GraderFault(f"{asked}: the answer is larger than {_ANSWER_LIMIT} bytes")
    try:
        return json.loads(data) if data.strip() else None
    except ValueError:
        raise Unreachable(f"{asked}: the answer is no JSON") from None


def _failure(wrong: urllib.error.HTTPError, asked: str) -> Exception:
    """Worth another try, or not: servers in trouble and limits pass, everything else does not."""
    told = f"{asked}: {wrong.code} {wrong.reason}"
    limited = wrong.headers.get("Retry-After") or wrong.headers.get("X-RateLimit-Remaining") == "0"
    if wrong.code >= 500 or wrong.code == 429 or (wrong.code == 403 and limited):
        return Unreachable(told, _wait_s(wrong.headers))
    return Refused(told, wrong.code)


def _wait_s(headers: Message) -> float | None:
    """As long as the server says; None where it says nothing."""
    for name, since in (("Retry-After", 0.0), ("X-RateLimit-Reset", time.time())):
        value = headers.get(name)
        if value and value.isdigit():
            return max(0.0, float(value) - since)
    return None
