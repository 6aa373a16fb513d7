# The list of commands; `make` alone prints it.
PYTHON ?= python3
WORKERS ?= 2
BIN := .venv/bin
PIP := -m pip install --quiet --disable-pip-version-check
PYTEST_PAGES := $(BIN)/python -m pytest -p no:randomly -p no:xdist
SAY = @printf '\n== %s\n'

.PHONY: help env demo test lint types layers house changelog pages tests clusters bench soak format pictures lock clean
.DELETE_ON_ERROR:
.SECONDARY:

help: ## print this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/make \1\t\2/' | expand -t 18

env: .venv/.ready ## make .venv with everything that the tests need

demo: env ## the paper's hardest benchmark, whole: its table beside the paper's, and a report
	$(BIN)/racl bench db1b-dist -o demo-report

test: lint types layers house changelog pages tests clusters ## all checks, a few minutes

lint: env ## style of the code
	$(SAY) 'ruff: lint and format'
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: env ## strict types
	$(SAY) 'mypy: types'
	$(BIN)/mypy

layers: env ## imports go down
	$(SAY) 'import-linter: layers'
	$(BIN)/lint-imports --no-cache

house: env ## sizes, and what no file may name
	$(SAY) 'house rules'
	$(BIN)/python tools/check_house.py

changelog: env ## changelog fragments are well named
	$(SAY) 'towncrier: changelog fragments'
	$(BIN)/towncrier build --draft

pages: env ## run the examples in the docs and the docstrings
	$(SAY) 'sybil: examples in the pages and the docstrings'
	$(PYTEST_PAGES) docs examples README.md
	$(PYTEST_PAGES) --doctest-modules --ignore=src/racl/serve/store/migrations src || test $$? = 5

tests: env ## the tests
	$(SAY) 'pytest: tests'
	$(BIN)/python -m pytest -n $(WORKERS) tests

clusters: .venv-clusters/.ready ## the tests on Spark, Ray, Dask and Daft, on this machine
	$(SAY) 'pytest: tests on clusters'
	.venv-clusters/bin/python -m pytest -W default tests/clusters

bench: .venv-bench/.ready ## an hour or two: compare with other ways to decide and to learn
	@set -e; for script in decide fit scale fallback certified level why clusters; do printf '\n== %s\n' $$script; \
	    .venv-bench/bin/python benchmarks/$$script.py; done
	$(SAY) 'serve, by wrk'
	@if command -v wrk >/dev/null; then .venv-bench/bin/python benchmarks/serve.py; \
	    else echo 'left out: there is no wrk on this machine (`apt-get install wrk`)'; fi

soak: .venv-soak/.ready ## hours: differential runs, fuzzing, mutation
	@set -e; for script in soak/*.py; do printf '\n== %s\n' $$script; .venv-soak/bin/python $$script; done

format: env ## format the code, mend what can be mended
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

pictures: env ## take the pictures of the page in the docs anew, by Chromium
	$(BIN)/python -m tools.pictures

lock: .venv-lock/.ready ## settle the versions in requirements/*.txt anew
	PATH=$(CURDIR)/.venv-lock/bin:$$PATH tools/lock

clean: ## remove what the other commands made
	rm -rf .venv .venv-bench .venv-soak .venv-clusters .venv-lock build dist mutants demo-report
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests tools docs examples benchmarks soak -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

.venv/.installed: requirements/dev.txt
.venv-bench/.installed: requirements/bench.txt
.venv-soak/.installed: requirements/soak.txt
.venv-clusters/.installed: requirements/clusters.txt

.venv/.installed .venv-bench/.installed .venv-soak/.installed .venv-clusters/.installed:
	$(SAY) 'making $(@D), half a minute'
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo 'racl needs Python 3.11 or newer; `$(PYTHON)` is older or missing: try `make env PYTHON=python3.12`' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python $(PIP) --require-hashes -r $<
	@touch $@

%/.ready: %/.installed pyproject.toml
	$(@D)/bin/python $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv-lock/.ready:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) uv
	@touch $@
