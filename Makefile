# make quickstart   set up and see the main job, end to end
# make test         set up and run the tests (make test-all adds the slow ones)
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: quickstart test test-all check format clean

quickstart: $(VENV)/.core
	$(BIN)/lengthwise quickstart

test: check
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-all: check
	$(BIN)/python -m pytest -n 2 --dist worksteal -m ''

check: $(VENV)/.dev
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/basedpyright

format: $(VENV)/.dev
	$(BIN)/ruff check --fix src tests
	$(BIN)/ruff format src tests

$(VENV)/.core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(PIP) --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis quickstart
