"""``python -m grader`` and the ``grader`` command."""

from __future__ import annotations

import gc
import sys

_GARBAGE = 50_000  # objects; looking through what was just imported, and stays, takes longer than a quick command


def main() -> int:
    """The command line; Ctrl-C is quiet from the first import on."""
    gc.set_threshold(_GARBAGE)
    try:
        from grader.cli import main as command

        return command()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
