"""People's names as platforms write them: which two spellings may be one person's."""

from __future__ import annotations

import re
import unicodedata


def key_of(text: str) -> str:
    """What two spellings of one id or name share."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def forms(*parts: str) -> set[str]:
    """Keys of a name: its words in any order, and its letters without what stands between them.

    ``parts`` are the cells that hold it, as first and last name: their order is the platform's, so both count.
    """
    words = [_words(part) for part in parts]
    every = [word for some in words for word in some]
    if not every:
        return set()
    return {
        " ".join(sorted(every)),
        "".join(every),
        "".join(word for some in reversed(words) for word in some),
    }


def unlike(one: str, other: str) -> bool:
    """Whether two names, both known, cannot be one person's: no word in common, nor the same letters in any order.

    Accents decide nothing, and ``三 张`` is how some sites show ``张三``.
    """
    first, second = (_words(_without_accents(name)) for name in (one, other))
    if not first or not second:
        return False
    return not set(first) & set(second) and sorted("".join(first)) != sorted("".join(second))


def _without_accents(name: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", name) if not unicodedata.combining(char))


def _words(name: str) -> list[str]:
    return re.findall(r"\w+", key_of(name))
