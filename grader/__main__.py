"""``python -m grader`` and the ``grader`` command."""

from __future__ import annotations

import gc
import os
import sys

_GARBAGE = 50_000  # objects; looking through what was just imported, and stays, takes longer than a quick command


def main() -> int:
    """The command line; Ctrl-C is quiet from the first import on."""
    gc.set_threshold(_GARBAGE)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for them takes as long as reading a course
    try:
        from grader.cli import main as command

        return command()
    except KeyboardInterrupt:
        return 130


def _without_the_working_folder() -> None:
    """``-m`` lets it go first in imports: it may be a student's, with a torch.py of its own."""
    ours = __file__.replace("\\", "/").removesuffix("/grader/__main__.py")
    if not sys.flags.safe_path and sys.path[0].replace("\\", "/") != ours:
        del sys.path[0]


if __name__ == "__main__":
    _without_the_working_folder()
    sys.exit(main())
