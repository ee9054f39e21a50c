"""Knows, line by line, whether a new statement can start: not inside a string, a bracket or a continued line."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"""'{3}|"{3}|['"]|\#|[(\[{]|[)\]}]|\\$""")


@dataclass(frozen=True, slots=True)
class LineState:
    """What is still open after a line of source."""

    depth: int = 0  # brackets
    quote: str = ""  # the quote that closes the string we are in
    continued: bool = False  # the line ended with a backslash

    @property
    def fresh(self) -> bool:
        """Whether the next line begins a statement."""
        return self.depth == 0 and not self.quote and not self.continued

    def after(self, line: str) -> tuple[LineState, str]:
        """The state after ``line``, and the line without its comment."""
        at, depth, quote = 0, self.depth, self.quote
        while True:
            if quote:
                end = _closing(line, at, quote)
                if end < 0:
                    stays = len(quote) == 3 or line.endswith("\\")
                    return LineState(depth, quote if stays else "", False), line
                at, quote = end, ""
            found = _TOKEN.search(line, at)
            if found is None:
                return LineState(depth), line
            token, at = found.group(), found.end()
            if token == "#":
                return LineState(depth), line[: found.start()]
            if token == "\\":
                return LineState(depth, "", True), line
            if token in "([{":
                depth += 1
            elif token in ")]}":
                depth = max(0, depth - 1)
            else:
                quote = token


def _closing(line: str, at: int, quote: str) -> int:
    """The index behind the quote that closes a string open at ``at``, or -1."""
    while at < len(line):
        if line[at] == "\\":
            at += 2
        elif line.startswith(quote, at):
            return at + len(quote)
        else:
            at += 1
    return -1
