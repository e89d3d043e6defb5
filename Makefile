# `make test` does everything a fresh machine needs: it makes its own environment and runs all
# checks. Give PYTHON=python3.12 for another interpreter.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
FUZZ_SECONDS ?= 300
STAMP := $(VENV)/.installed
MEASURED := .cache/measured/bin/ascend-doctor

.PHONY: test check fast fix fuzz docs pictures bench bench-small clean

test: check
	$(BIN)/pytest -m ""

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/interrogate -q --config pyproject.toml ascend_doctor
	$(BIN)/ascend-doctor rules test
	$(BIN)/ascend-doctor rules lint

fast: $(STAMP)
	$(BIN)/pytest

fix: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Looks for bytes that break an invariant; `make test` tries a few, always the same.
fuzz: $(STAMP)
	$(BIN)/python -m pip install -q --group fuzz
	$(BIN)/python -m fuzz.run --seconds $(FUZZ_SECONDS)

# Writes the generated pages; those that differ fail a test.
docs: $(STAMP)
	$(BIN)/python -m ascend_doctor.docs docs
	$(BIN)/python -m benchmarks.chinese docs/performance.md

# What the README shows: the report in a terminal, and the page in Debian's chromium.
pictures: $(STAMP)
	$(BIN)/python docs/pictures/draw.py
	$(BIN)/python -m docs.pictures.shoot

# Options of the benchmarks: BENCH="plog --repetitions 3"; docs/performance.md has more.
# What is measured is the package as users install it, in an environment of its own.
bench: $(STAMP) $(MEASURED)
	$(BIN)/python -m benchmarks.run --program $(MEASURED) $(BENCH)

bench-small: $(STAMP) $(MEASURED)
	$(BIN)/python -m benchmarks.run --program $(MEASURED) --scale 1/64 --repetitions 3 $(BENCH)

.PHONY: $(MEASURED)
$(MEASURED):
	$(PYTHON) -m venv --clear .cache/measured
	.cache/measured/bin/python -m pip install -q .

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -q -e . --group dev --group harness
	touch $(STAMP)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
