# The same short commands for people and for CI. `make demo` on a fresh machine needs Python 3.11, git and make.
# `make test PYTHON=python3.14` uses another Python, in an environment of its own.

PYTHON := python3
VENV := .venv$(addprefix -,$(notdir $(PYTHON:python3=)))
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.dev

demo: $(READY)
	@$(BIN)/evilpegs demo

# The matches of the demo as files for a web host, in build/site.
site: $(READY)
	@$(BIN)/evilpegs demo --publish build/site

serve: $(READY)
	@$(BIN)/evilpegs serve

# Three at a time on two processors, because tests wait a third of their time.
SIDE_BY_SIDE := -q -n 3 --dist loadfile --no-loadscope-reorder
PYTEST := $(BIN)/python -m pytest $(SIDE_BY_SIDE)
TOOL := PYTHONPATH=tests $(BIN)/python -m tools
# Tests start hundreds of processes; without bytecode each would compile the packages again.
unexport PYTHONDONTWRITEBYTECODE
NODE := tests/page/node_modules/.package-lock.json

# What to run before every commit: under four minutes on two cores.
test: $(DEV)
	@sh tests/components.sh test
	@$(MAKE) --no-print-directory -j2 check kernels
	@$(PYTEST) -m "not full and not abuse and not statistics"

# Everything there is, as CI runs it. What fails runs once more, alone; a test that passes then is printed last.
test-all: $(DEV) $(NODE)
	@sh tests/components.sh all
	@$(MAKE) --no-print-directory -j2 check kernels
	@$(TOOL).flaky $(SIDE_BY_SIDE) --hypothesis-profile=many

# Everything once more, with the lines that it reaches: before a release, and when kernels have changed. The kernels run
# once as plain Python too, because only so are their lines counted.
coverage: $(DEV) $(NODE)
	@sh tests/components.sh all
	@rm -f .coverage .coverage.*
	@$(MAKE) --no-print-directory kernels
	@$(PYTEST) --hypothesis-profile=many --cov --cov-report= --cov-fail-under=0
	@NUMBA_DISABLE_JIT=1 $(PYTEST) --cov --cov-append --cov-report= --cov-fail-under=0 tests/game tests/clients/strategies \
	    --ignore=tests/clients/strategies/test_golden.py
	@$(BIN)/coverage report

# The tests with real processes and sockets, three times, beside four processes that only burn the processor.
test-busy: $(DEV)
	@sh tests/components.sh all
	@$(MAKE) --no-print-directory kernels
	@$(TOOL).busy --burners 4 --times 3 -- $(PYTEST) tests/abuse tests/cli tests/clients tests/compatibility \
	    tests/integration tests/server

# Tests that run side by side would each compile them.
kernels: $(DEV)
	@$(BIN)/evilpegs kernels

check: $(DEV)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tests/repository/voice.py
	@$(BIN)/python -m tools.budgets

format: $(DEV)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# Many minutes: what evilpegs measures of itself, and one table of it with what is wanted.
bench: $(DEV)
	@$(BIN)/python -m bench

# Hours: measure every strategy on every ladder again and write docs/results.md; goes on where it was stopped.
results: $(DEV)
	@$(BIN)/python bench/results.py

# Minutes: is any entry of known_results.toml worse than what the program has, or better than possible?
known: $(DEV)
	@$(TOOL).known_results

# Hours: compute the table of rules and write docs/table.csv, docs/table.md and docs/table.svg; goes on where it stopped.
table: $(DEV)
	@$(BIN)/python -m bench.rules_table

# Minutes of load on loopback: does the event loop stall, and what do others notice of a crowd on a large game?
load: $(DEV)
	@$(BIN)/python -m bench fairness --strict

# Minutes of attacks on servers of their own, on loopback: floods, storms, unread answers, stops. Prints figures.
abuse: $(DEV)
	@$(BIN)/python -m pytest -q -s -m abuse tests/abuse

# Ten minutes of 50 faults of nodes and their database while 60 bots play. EVILPEGS_SEED=2 draws others.
faults: $(DEV)
	@sh tests/components.sh faults
	@EVILPEGS_FAULTS=50 EVILPEGS_PLAYERS=60 EVILPEGS_OUTAGE_SECONDS=30 $(BIN)/python -m pytest -q -s --no-cov \
	    tests/integration/test_faults.py

# Minutes of simulated ladders: are equal players ever told apart, and do intervals hold? Prints figures.
statistics: $(DEV)
	@$(BIN)/python -m pytest -q -s -m statistics tests/statistics

# Tests of the page in a browser, and the figures of bench/page.py. Screenshots go to tests/page/artifacts.
page: $(DEV) $(NODE)
	@sh tests/components.sh page
	@$(PYTEST) tests/page
	@$(BIN)/python -m bench page

$(NODE): tests/page/package-lock.json
	@command -v npm >/dev/null || sh tests/components.sh page
	@npm ci --prefix tests/page --no-audit --no-fund --silent

# Minutes: which games make counting dearest, and does any pass the stated bound?
worst: $(DEV)
	@PYTHONPATH=tests $(BIN)/python bench/worst_counting.py

# Run the commands in tests/cli/snapshots and the matches in tests/clients/snapshots again and keep what they print
# now. Read the diff before you commit it.
snapshots: $(DEV)
	@$(TOOL).snapshots

# Play the matches of protocol/README.md again and write them into it.
transcripts: $(DEV)
	@$(TOOL).transcripts

# Write the tables of docs/operate.md from the settings and metrics.
references: $(DEV)
	@$(TOOL).references

# Write the test vectors that Python and the page share; `make records` plays the matches among them again.
vectors: $(DEV)
	@$(TOOL).page_vectors

records: $(DEV)
	@$(TOOL).page_records

# Write the description of the HTTP API again. A test compares it with what a server sends.
openapi: $(DEV)
	@$(BIN)/python -m evilpegs_server.site.openapi

# The picture of the page in README.md, the one for links, and its icons. Needs chromium.
screenshot: $(DEV)
	@sh tests/components.sh page
	@$(TOOL).screenshot

# Bundle the JavaScript libraries of the page in the versions of tests/page/package-lock.json. Needs npm.
vendor: $(DEV)
	@$(TOOL).vendor

# Python compiles each module when it is first imported. To compile all of them here would take twice as long.
# The files of requirements name everything: pip looks for nothing newer.
PIP := $(BIN)/pip install -qq --disable-pip-version-check --no-compile --no-deps

$(READY): requirements.txt pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "there is no $(PYTHON) here; name a Python with PYTHON=" >&2; exit 1; }
	@$(PYTHON) -c 'import sys, ensurepip, venv; assert sys.version_info >= (3, 11)' 2>/dev/null \
	    || { echo "evilpegs needs Python 3.11 or later and its venv; on Debian: apt install python3-venv" >&2; exit 1; }
	@echo "making $(VENV), once"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes -r requirements.txt
	@$(PIP) --no-build-isolation -e .
	@touch $@

# What only tests, checks and benches need. Tests start hundreds of processes, so everything is compiled here.
$(DEV): requirements-dev.txt $(READY)
	@echo "adding the tools for development to $(VENV), once"
	@$(PIP) --require-hashes -r requirements-dev.txt
	@$(BIN)/pip check -q
	@$(BIN)/python -m compileall -qq -j 0 -x /tests/ $(VENV)/lib || true  # some packages hold files for other Pythons
	@touch $@

.PHONY: demo site serve test test-all test-busy coverage kernels check format bench results known table load abuse faults statistics page worst snapshots transcripts references vectors records openapi screenshot vendor
