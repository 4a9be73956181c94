# `make demo` and `make test` do all their own set-up: they need Python 3.11+, git and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# uv installs in a tenth of the time, the one of this machine or one of our own; where it cannot, pip does.
install = uv=$$(command -v uv || command -v $(BIN)/uv) && VIRTUAL_ENV='$(CURDIR)/$(VENV)' "$$uv" pip --quiet install $(1) \
  || $(PIP) install $(1)

.PHONY: help demo test test-oldest test-newest lint interpreted coverage mutants attack bench figures docs house release-check clean

help:
	@echo "make demo   train our methods on a shipped data set, print a table, write demo.html and demo-report.html"
	@echo "make test   all checks: ruff, mypy, import-linter, pytest (kernels also with the JIT off)"
	@echo "make test-oldest  some tests with every dependency at the oldest version that pyproject.toml allows"
	@echo "make test-newest  the same tests with the newest versions there are, pre-releases too"
	@echo "make release-check  build wheel and sdist, try the wheel in an empty environment, keep both in dist/"
	@echo "make lint   the checks without the tests"
	@echo "make coverage  which lines and branches the tests run, kernels with the JIT off; an hour, the figure is kept"
	@echo "make mutants  change the code a little and see whether tests notice; a sample, half an hour"
	@echo "make bench  peers and counterpoint side by side, in one run"
	@echo "make attack  hostile values for every public function and estimator; an hour, exits by what it finds"
	@echo "make docs   the pages and the API reference as a site, in site/index.html"
	@echo "make figures  draw the pictures and tables of docs/ again"
	@echo "make house  draw docs/images/house.png again: packages, floors and imports"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "counterpoint needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12 demo"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "python -m venv failed; on Debian and Ubuntu install it with: apt-get install python3-venv"; exit 1; }
	@command -v uv >/dev/null || $(PIP) install uv || true

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "setting up $(VENV) ..."
	@$(call install,-e '.[skops]')
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "setting up $(VENV) for development ..."
	@$(call install,-e '.[dev]')
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	@$(BIN)/counterpoint demo --output demo.html

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Kernels as plain Python runs them.
interpreted: $(VENV)/.installed-dev
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest tests/kernels -q

# The two before the tests have one core each.
test: $(VENV)/.installed-dev
	@$(MAKE) --no-print-directory -j 2 --output-sync=target lint interpreted
	$(BIN)/pytest -n 2 -q

# Newer packages below ours warn of what these old ones do: here warnings are none of our business.
OLDEST := tests/kernels/test_votes.py tests/kernels/test_pairs.py tests/plots tests/tabular/test_models.py \
  tests/tabular/test_reader.py tests/tabular/test_nasty_tables.py tests/cli/test_columns.py tests/cli/test_fit.py \
  tests/cli/test_predict.py tests/cli/test_measure.py tests/cli/test_churn.py \
  tests/cli/test_reproduce.py tests/claims/test_runner.py tests/report/test_model_page.py

test-oldest:
	$(PYTHON) -m venv .venv-oldest
	$(PYTHON) tools/floors.py > .venv-oldest/floors.txt
	.venv-oldest/bin/python -m pip --disable-pip-version-check --quiet install --only-binary :all: -r .venv-oldest/floors.txt
	.venv-oldest/bin/python -m pip --disable-pip-version-check --quiet install --no-deps -e .
	NUMBA_CACHE_DIR=.venv-oldest/numba .venv-oldest/bin/python -m pytest -q -o filterwarnings= -W ignore $(OLDEST)

test-newest:
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/python -m pip --disable-pip-version-check --quiet install --pre --only-binary :all: \
	  numpy scipy scikit-learn numba joblib pandas matplotlib typer rich jinja2 threadpoolctl skops polars pyarrow openpyxl \
	  pytest pytest-xdist hypothesis
	.venv-newest/bin/python -m pip --disable-pip-version-check --quiet install --no-deps -e .
	NUMBA_CACHE_DIR=.venv-newest/numba .venv-newest/bin/python -m pytest -q -o filterwarnings= -W ignore $(OLDEST)

release-check:
	$(PYTHON) tools/release_check.py

bench: $(VENV)/.installed-dev
	@$(call install,-e '.[bench]')
	$(BIN)/python -m benchmarks

figures: $(VENV)/.installed-dev
	$(BIN)/python docs/build.py

house: $(VENV)/.installed-dev
	$(BIN)/python tools/house.py

coverage: $(VENV)/.installed-dev
	$(BIN)/python tools/covered.py

mutants: $(VENV)/.installed-dev
	$(BIN)/python tools/mutate.py

attack: $(VENV)/.installed-dev
	PYTHONPATH=tests $(BIN)/python -m attack --minutes 60

docs: $(VENV)/.installed-dev
	@$(call install,-e '.[docs]')
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) site .mypy_cache .pytest_cache .ruff_cache .hypothesis demo.html demo-report.html
