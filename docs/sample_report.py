"""Writes the sample report into README.md and README.zh.md: ``python docs/sample_report.py [--check]``."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = "examples/attention/grace"
STAMPS = ("PRACTICE", "练习")
MARKS = re.compile(r"(<!-- sample:begin -->\n).*?(<!-- sample:end -->)", re.DOTALL)


def sample(lang: str) -> str:
    """The student's form of one example, as the terminal shows it, without what differs from run to run."""
    run = subprocess.run(
        [sys.executable, "-m", "grader", "--lang", lang, "--plain", "grade", SAMPLE, "-a", "attention",
         "--audience", "student", "--feedback", "full", "--seed", "1", "--practice"],
        cwd=ROOT, capture_output=True, text=True, check=False, env={"COLUMNS": "110", "PATH": "", "LANG": "C.UTF-8"},
    )  # fmt: skip
    if run.returncode not in (0, 1):
        raise SystemExit(run.stderr)
    lines = (line.rstrip() for line in run.stdout.strip().splitlines())
    return "\n".join(line for line in lines if not line.startswith(STAMPS))  # the same on every machine


def with_sample(text: str, lang: str) -> str:
    return MARKS.sub(lambda m: f"{m[1]}```text\n{sample(lang)}\n```\n{m[2]}", text)


def main() -> int:
    stale = []
    for name, lang in (("README.md", "en"), ("README.zh.md", "zh")):
        path = ROOT / name
        old = path.read_text(encoding="utf-8")
        new = with_sample(old, lang)
        if new != old:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(new, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"stale: {', '.join(stale)}; run python docs/sample_report.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
