"""The two scripts that the platform calls: once when it builds its image, then for every submission."""

from __future__ import annotations

from typing import Final

SETUP: Final = """\
#!/usr/bin/env bash
# Runs once, while the image is built: the only time when a network is needed, and none if wheels/ is full.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

newest() {
  for python in python3.13 python3.12 python3.11 python3; do
    if "$python" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$python"
      return
    fi
  done
}

python=$(newest)
if [ -z "$python" ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install --yes --no-install-recommends python3.12 python3.12-venv \\
    || apt-get install --yes --no-install-recommends python3.11 python3.11-venv
  python=$(newest)
fi
"$python" -m venv .venv

from=()
if compgen -G 'wheels/*.whl' > /dev/null; then
  from=(--no-index --find-links wheels)
fi
.venv/bin/python -m pip install --disable-pip-version-check --no-cache-dir "${from[@]}" --requirement requirements.txt

# The worker that runs a submission is nobody: it may read Python, and nothing of the course.
chmod -R a+rX .venv grader
chmod -R go-rwx course bundle.json
PYTHONPATH=$PWD .venv/bin/python -m grader doctor || true
"""

RUN: Final = """\
#!/usr/bin/env bash
# Runs for every submission. Whatever happens, results.json is there and can be read.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
if [ -d "$here/source" ]; then root=$here; else root=$(dirname "$here"); fi
cd "$root/source" || exit 3

mkdir -p "$root/results"
cp not_graded.json "$root/results/results.json"

python=.venv/bin/python
[ -x "$python" ] || python=python3
export PYTHONPATH=$root/source PYTHONDONTWRITEBYTECODE=1 PYTHONSAFEPATH=1 OMP_NUM_THREADS=1
exec "$python" -m grader gradescope --root "$root"
"""
