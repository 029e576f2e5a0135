# make quickstart   set up and see the main job, end to end
# make test         set up and run the tests (make test-all adds the slow ones)
# make test-peers   install lm-eval and TransformerLens and compare with them
# make docs         build the documentation into site/
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: quickstart test test-all test-peers check format docs browser clean

quickstart: $(VENV)/.core
	$(BIN)/lengthwise quickstart

test: check browser
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-all: check browser
	$(BIN)/python -m pytest -n 2 --dist worksteal -m ''

test-peers: $(VENV)/.dev
	$(PIP) --editable '.[harness,lens]'
	$(BIN)/python -m pytest -m '' tests/tasks/test_harness.py tests/models/exchange/test_lens.py

check: $(VENV)/.dev
	$(BIN)/ruff check src tests tutorials
	$(BIN)/ruff format --check src tests tutorials
	$(BIN)/basedpyright
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix src tests tutorials
	$(BIN)/ruff format src tests tutorials

docs: $(VENV)/.dev
	$(BIN)/python -m tests.docs.commands
	$(BIN)/python -m tests.docs.tutorials
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Pages are tested in a real browser. Where it can be had it is installed; elsewhere those tests are
# skipped and say why.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	  || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	       && apt-get --quiet update >/dev/null \
	       && apt-get --quiet install --yes --no-install-recommends chromium >/dev/null; } \
	  || echo "no chromium here: the tests that need a browser are skipped"

$(VENV)/.core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(PIP) --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis quickstart site dist
