# make run    the best play for an example position
# make test   every test
# make bench  speed, beside a plain C program
# make docs   the documentation as pages, in build/docs
# make lint   formatting, style, types
# make fuzz   inputs made to break it, as long as FUZZ says
# make leaks  many searches and loads in flat memory
# make wheel  a wheel as the index gets it, tried in a clean environment; `make wheels`: for every Python at hand
# make memcheck  the same under valgrind (which must be installed): memory read unset, or lost by our C
# make sanitize, coverage, mutants    the tests under sanitizers; lines that they run; faults that they see
# Each makes .venv and installs what it needs: python3 (>= 3.11), pip and a C compiler are enough.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
SOURCES := pyproject.toml setup.py MANIFEST.in $(shell find src/solver -name '*.py' -o -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.h')
EXAMPLE := scout(players=4) | seat 1 | hand 7/2 4/6 4/10 4/1 9/5 8/5 2/6 3/1 | table 3/7 3/9 by 0 | cards 8 8 11 11 | chips 1 0 0 0 | score 2 2 0 0

# The fast half of the tests: a wheel lacks a file or fits no machine, and that shows at once.
WHEEL_TESTS := tests/golden tests/unit --ignore tests/unit/test_agents.py --ignore tests/unit/test_sampling.py
# Of each version that is supported one, unless PYTHONS='python3.11 ...' names them.
PYTHONS ?=
# What `make sanitize` runs: everything, or TESTS='tests/golden ...'; and how many faults `make mutants` puts in.
TESTS ?= tests
MUTANTS ?= --count 60 --seed 1

# How long to fuzz: `make fuzz FUZZ="--inputs 1000000"`.
FUZZ ?= --seconds 60
# How much to do in flat memory.
LEAKS ?= --searches 1000000 --loads 10000

.PHONY: run test bench docs fuzz leaks memcheck lint wheel wheels review sanitize coverage mutants clean

run: $(VENV)/installed
	$(BIN)/solver best '$(EXAMPLE)' --iterations 200000 --seed 1

test: $(VENV)/installed-test
	$(BIN)/python -m pytest -n auto

bench: $(VENV)/installed
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/cfr_peers.py

# Warnings are errors: above all a name that the library does not have.
docs: $(VENV)/installed-dev
	$(BIN)/sphinx-build -E -W --keep-going -n -q -b html docs build/docs

fuzz: $(VENV)/installed-test
	$(BIN)/python -m tests.fuzz $(FUZZ)

leaks: $(VENV)/installed-test
	$(BIN)/python -m tests.leaks $(LEAKS)

memcheck: $(VENV)/installed-test
	$(BIN)/python .ci/memcheck.py

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint src/solver
	$(BIN)/mypy src/solver
	for script in experiments/*/*.py; do $(BIN)/mypy $$script || exit; done

wheel: $(VENV)/installed-wheels
	VENV='$(VENV)' .ci/wheels '$(PYTHON)' $(WHEEL_TESTS)

wheels: $(VENV)/installed-wheels
	VENV='$(VENV)' .ci/wheels '$(PYTHONS)' tests

review: $(VENV)/installed-wheels
	$(PIP) install --group review
	$(BIN)/repo-review .
	$(BIN)/zizmor --offline -q .github
	for platform in linux macos windows; do $(BIN)/cibuildwheel --print-build-identifiers --platform $$platform . || exit; done

sanitize: $(VENV)/installed-test
	.ci/sanitize '$(CURDIR)/$(BIN)/python' $(TESTS)

coverage: $(VENV)/installed-test
	$(PIP) install --group coverage
	$(BIN)/python .ci/coverage.py $(TESTS)

mutants: $(VENV)/installed-test
	$(BIN)/python .ci/mutants.py $(MUTANTS)

clean:
	rm -rf $(VENV) build dist docs/api docs/experiments docs/commands.rst src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Debian ships a python3 whose venv module cannot make one with pip in it; virtualenv can.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed, $(PYTHON) is $$($(PYTHON) -V); set PYTHON=..."; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  $(PYTHON) -m pip -q install --target build/virtualenv virtualenv && \
	  PYTHONPATH=build/virtualenv $(PYTHON) -m virtualenv -q $(VENV); }

# A build folder that another Python or an older checkout left behind would leak into the install.
define install
	rm -rf build/lib* build/bdist*
	$(PIP) install '$(1)'
	touch $@
endef

$(VENV)/installed: $(BIN)/python $(SOURCES)
	$(call install,.)

$(VENV)/installed-test: $(BIN)/python $(SOURCES)
	$(call install,.[test])
	touch $(VENV)/installed

# Older pips know no groups.
$(VENV)/installed-wheels: $(BIN)/python pyproject.toml
	$(PIP) install 'pip>=25.1'
	$(PIP) install --group wheels
	touch $@

$(VENV)/installed-dev: $(BIN)/python $(SOURCES)
	$(call install,.[dev])
	touch $(VENV)/installed $(VENV)/installed-test
