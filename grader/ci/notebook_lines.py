"""From a line of a notebook's cell to the line of the .ipynb file, which is what a diff shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_TOKENS_LIMIT = 2_000_000
_DEPTH_LIMIT = 100


class NotebookLines:
    """Where the lines of the cells stand; read once, from text that a student wrote."""

    def __init__(self, data: bytes) -> None:
        self._at: dict[tuple[int, int], int] = {}
        text = data.decode("utf-8-sig", "replace")
        for (cell, first), (line, source) in _sources(text):
            for more in range(len(source.split("\n")) - source.endswith("\n")):
                self._at.setdefault((cell, first + more), line)

    def line(self, cell: int, line: int) -> int:
        """The file's line of a cell's line (both counted from 1); of the cell's first line, else 1, where unknown."""
        return self._at.get((cell, line)) or self._at.get((cell, 1)) or 1


def _sources(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, str]]]:
    """Every piece of source: its cell and first line there, its line in the file and its text."""
    told: dict[int, int] = {}  # lines of each cell so far
    for path, token, line in _strings(text):
        match path:
            case ("cells", int(cell), "source") | ("cells", int(cell), "source", int()):
                try:
                    source = str(json.loads(token, strict=False))
                except ValueError:
                    continue
                first = told.get(cell, 1)
                told[cell] = first + source.count("\n")
                yield (cell + 1, first), (line, source)


def _strings(text: str) -> Iterator[tuple[tuple[str | int, ...], str, int]]:
    """The values that are strings, each with the way to it and the line it begins on."""
    path: list[str | int] = []
    line, seen, key, expects_key = 1, 0, "", False
    kinds: list[str] = []
    for count, found in enumerate(_TOKEN.finditer(text)):
        token = found[0]
        line += text.count("\n", seen, found.start())
        seen = found.start()
        if count > _TOKENS_LIMIT or len(kinds) > _DEPTH_LIMIT:
            return
        if token in "{[":
            kinds.append(token)
            path.append("" if token == "{" else 0)
            expects_key = token == "{"
        elif token in "}]":
            if kinds:
                kinds.pop()
                path.pop()
            expects_key = False
        elif token == "," and kinds:
            expects_key = kinds[-1] == "{"
            if kinds[-1] == "[":
                path[-1] = int(path[-1]) + 1
        elif token == ":":
            expects_key = False
        elif token[0] == '"':
            if expects_key and kinds:
                key = token[1:-1]
                path[-1] = key
            else:
                yield tuple(path), token, line
