# `make demo` and `make test` each work alone on a fresh clone: they make .venv, install into it, then run.
#
#   PYTHON=python3.12         another interpreter for .venv (3.11 or newer; the first one found otherwise)
#   TORCH_INDEX=URL           where torch itself comes from, such as a CPU-only index or a mirror
#   JOBS=4                    processes for the tests (3: many tests wait for limits, so one more than two cores)

JOBS ?= 3
TORCH_INDEX ?=
PYTHON ?= $(firstword $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p; done))

VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check install -qq --constraint constraints.txt
# Named after what was asked for: a change in either file installs anew, nothing else does.
STAMP := $(VENV)/.installed-$(shell cat pyproject.toml constraints.txt | cksum | cut -d' ' -f1)

export OMP_NUM_THREADS := 1

.PHONY: setup demo test check bench prove fault-matrix

setup: $(STAMP)

$(STAMP):
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name one with PYTHON=..." >&2; exit 2; }
	@echo "Setting up $(VENV) (once; torch is a large download)"
	@$(PYTHON) -m venv $(VENV)
ifneq ($(TORCH_INDEX),)
	@$(PIP) --index-url "$(TORCH_INDEX)" torch
endif
	@$(PIP) --editable '.[dev]'
	@rm -f $(VENV)/.installed-*
	@touch $@

# Exit code 1 of a batch means: done, but someone should look. In a class of common mistakes that is the point.
demo: setup
	@rm -rf build/demo
	@for folder in examples/*/; do \
		name=$$(basename "$$folder"); \
		$(RUN) -m grader batch "$$folder" -a "$$name" -o "build/demo/$$name" || test $$? -eq 1 || exit 3; \
	done
	@echo "The reports lie in build/demo:"
	@for sheet in build/demo/*/grades.csv; do echo "  $$sheet and $$(dirname "$$sheet")/reports/"; done

test: setup
	@$(RUN) -m pytest -q -n $(JOBS) --dist worksteal

check: setup
	@$(RUN) -m ruff check
	@$(RUN) -m ruff format --check
	@$(RUN) -m mypy
	@$(RUN) -m pytest -q tests/test_imports.py
	@$(RUN) -m grader validate --fast

# Every claim about every assignment, with all styles of right code, and the long tests: minutes each.
prove: setup
	@$(RUN) -m grader validate --right tests/golden
	@$(RUN) -m pytest -q -n $(JOBS) --dist worksteal -m long

fault-matrix: setup
	@$(RUN) -m grader validate --fast --matrix docs/fault-matrix.md

bench: setup
	@$(RUN) -m bench
