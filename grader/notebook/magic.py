"""``%check`` for IPython: the same as ``check(...)``, with nothing to import."""

from __future__ import annotations

from typing import Any

from grader.notebook.kernel import check_in

_LANGUAGES = ("en", "zh")


def load(shell: Any) -> None:
    """Register the magic and the name ``check`` in an IPython shell."""

    def check_magic(line: str) -> Any:
        """%check [ASSIGNMENT or FUNCTION] [en|zh]: the public checks on what is defined here."""
        words = line.split()
        lang = words.pop() if words and words[-1] in _LANGUAGES else "en"
        return check_in(shell.user_ns, words[0] if words else None, lang)

    shell.register_magic_function(check_magic, "line", "check")
