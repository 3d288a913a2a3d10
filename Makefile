# The same short commands for people and for CI. `make demo` on a fresh machine needs Python 3.11, git and make.

BIN := .venv/bin
READY := .venv/.ready
DEV := .venv/.dev

demo: $(READY)
	@$(BIN)/evilpegs demo

serve: $(READY)
	@$(BIN)/evilpegs serve

# CI measures which lines the tests run. It takes a third of the time, so by hand only `make coverage` does.
PYTEST := $(if $(CI),$(BIN)/coverage run -m,$(BIN)/python -m) pytest -q

test: $(DEV)
	@sh tests/components.sh
	@rm -f .coverage .coverage.*
	@$(MAKE) --no-print-directory -j2 check kernels
	@$(MAKE) --no-print-directory -j$(if $(CI),2,3) test-outer test-cli test-docs test-inner test-plain
	@$(if $(CI),$(BIN)/coverage combine -q)
	@$(if $(CI),$(BIN)/coverage report)

coverage:
	@$(MAKE) --no-print-directory test CI=1

# Five groups, three at a time, because tests wait a quarter of their time; two at a time in CI, where they are slower.
# What all but the first print comes in one piece, after their ends.
CLI := tests/cli
DOCS := tests/docs tests/abuse tests/statistics
INNER := tests/game tests/protocol tests/clients tests/repository tests/compatibility tests/examples tests/page

test-outer: $(DEV)
	@$(PYTEST) $(addprefix --ignore=,$(CLI) $(DOCS) $(INNER))

test-cli: $(DEV)
	@printed=$$($(PYTEST) $(CLI) 2>&1); status=$$?; echo "$$printed"; exit $$status

test-docs: $(DEV)
	@printed=$$($(PYTEST) $(DOCS) 2>&1); status=$$?; echo "$$printed"; exit $$status

test-inner: $(DEV)
	@printed=$$($(PYTEST) $(INNER) 2>&1); status=$$?; echo "$$printed"; exit $$status

# The kernels run once as plain Python too: that they agree with themselves compiled is part of the test, and only
# so are their lines counted as covered.
test-plain: $(DEV)
	@printed=$$(NUMBA_DISABLE_JIT=1 $(PYTEST) tests/game tests/clients/strategies \
	    --ignore=tests/clients/strategies/test_golden.py 2>&1); status=$$?; echo "$$printed"; exit $$status

# Most groups need them, and would each compile them.
kernels: $(DEV)
	@$(BIN)/python tests/support/compile_kernels.py

check: $(DEV)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tests/repository/voice.py

format: $(DEV)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# Many minutes: what evilpegs measures of itself, and one table of it with what is wanted.
bench: $(DEV)
	@$(BIN)/python -m bench

# Minutes: measure every strategy on every ladder again and write docs/results.md.
results: $(DEV)
	@$(BIN)/python bench/results.py

# Minutes of load on loopback: does the event loop stall, and what do others notice of a crowd on a large game?
load: $(DEV)
	@$(BIN)/python -m bench fairness --strict

# Minutes of attacks on servers of their own, on loopback: floods, storms, unread answers, stops. Prints figures.
abuse: $(DEV)
	@$(BIN)/python -m pytest -q -s -m abuse tests/abuse

# Minutes of simulated ladders: are equal players ever told apart, and do intervals hold? Prints figures.
statistics: $(DEV)
	@$(BIN)/python -m pytest -q -s -m statistics tests/statistics

# Tests of the page in a browser, and the figures of bench/page.py. Screenshots go to tests/page/artifacts.
page: $(DEV) tests/page/node_modules/.package-lock.json
	@sh tests/components.sh
	@$(BIN)/python -m pytest -q -m "" tests/page
	@$(BIN)/python -m bench page

tests/page/node_modules/.package-lock.json: tests/page/package-lock.json
	@command -v npm >/dev/null || sh tests/components.sh
	@npm ci --prefix tests/page --no-audit --no-fund --silent

# Minutes: which games make counting dearest, and does any pass the stated bound?
worst: $(DEV)
	@PYTHONPATH=tests $(BIN)/python bench/worst_counting.py

# Run the commands in tests/cli/snapshots and the matches in tests/clients/snapshots again and keep what they print
# now. Read the diff before you commit it.
snapshots: $(DEV)
	@$(BIN)/python tests/support/snapshots.py

# Write the description of the HTTP API again. A test compares it with what a server sends.
openapi: $(DEV)
	@$(BIN)/python -m evilpegs_server.site.openapi

# The picture of the page in README.md. Needs chromium.
screenshot: $(DEV)
	@sh tests/components.sh
	@$(BIN)/python tests/support/screenshot.py

# Bundle the JavaScript libraries of the page in the versions of tests/page/package-lock.json. Needs npm.
vendor: $(DEV)
	@$(BIN)/python tests/support/vendor.py

# Python compiles each module when it is first imported. To compile all of them here would take twice as long.
PIP := $(BIN)/pip install -qq --disable-pip-version-check --no-compile

$(READY): requirements.txt pyproject.toml
	@python3 -c 'import sys, ensurepip, venv; assert sys.version_info >= (3, 11)' 2>/dev/null \
	    || { echo "evilpegs needs Python 3.11 or later and its venv; on Debian: apt install python3-venv" >&2; exit 1; }
	@echo "making .venv, once"
	@python3 -m venv .venv
	@$(PIP) --require-hashes -r requirements.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

# What only tests, checks and benches need. Tests start hundreds of processes, so everything is compiled here.
$(DEV): requirements-dev.txt $(READY)
	@echo "adding the tools for development to .venv, once"
	@$(PIP) --require-hashes -r requirements-dev.txt
	@$(BIN)/python -m compileall -qq -j 0 .venv/lib || true  # some packages hold files for other Pythons
	@touch $@

.PHONY: demo serve test test-outer test-cli test-docs test-inner test-plain coverage kernels check format bench results load abuse statistics page screenshot worst snapshots openapi vendor
