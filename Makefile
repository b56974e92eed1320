# `make demo` and `make test` need only Python (3.11 to 3.13) and make; both set up `.venv` themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt

.PHONY: demo test test-all lint format clean

demo: $(VENV)/core.stamp
	$(BIN)/python -m experiments.main --monitor lexical --monitor random --method base --method ebg

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m "not slow"

test-all: $(VENV)/dev.stamp
	$(BIN)/python -m pytest

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Compiling every installed module costs a minute; Python compiles what is imported.
$(VENV)/core.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable .
	touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable ".[dev]"
	touch $@ $(VENV)/core.stamp
