# `make` alone lists the targets. Each sets up what it needs in .venv and does again only what has changed.

PYTHON ?= python3
ARGS   ?=
JOBS   ?= logical

VENV  := .venv
BIN   := $(VENV)/bin
# Without build isolation pip builds with the generator that stands in .venv already, instead of fetching it anew each time.
PIP   := $(BIN)/python -m pip --quiet --disable-pip-version-check
BUILD := pyproject.toml hatch_build.py
V1    := server/bluke/v1
# The folder itself is listed for its time: a deleted proto counts as a change.
PROTO := proto/bluke/v1 $(wildcard proto/bluke/v1/*.proto)
SAY    = @printf '\033[1m==> %s\033[0m\n'

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help arena clients arena-languages test soak lint stubs bench fuzz clean

help: ## list the targets
	@echo 'Bluke Arena: make TARGET [ARGS="..."] [PYTHON=$(PYTHON)]'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

arena: $(VENV)/.arena $(V1)/.stubs ## run the arena; ARGS go to `bluke arena`
	$(SAY) 'running the arena'
	@$(BIN)/bluke arena $(ARGS)

clients: $(VENV)/.arena $(V1)/.stubs ## build the clients whose tools are there; REQUIRE_ALL_CLIENTS=1 wants all
	$(SAY) 'building the clients'
	@$(BIN)/python clients/languages.py build

arena-languages: $(VENV)/.arena $(V1)/.stubs ## build the clients, play one table of their bots; ARGS go to `bluke arena`
	$(SAY) 'building the clients'
	@$(BIN)/python clients/languages.py build || test "$$REQUIRE_ALL_CLIENTS" != 1
	$(SAY) 'playing one table of the bot `rule` in every language that is built'
	@$(BIN)/python clients/languages.py arena $(ARGS)

# A part of the tests cannot cover everything, so the coverage floor holds for the whole run only.
test: $(VENV)/.dev $(V1)/.stubs ## run the tests; ARGS go to pytest (for example ARGS="tests/rules -x")
	$(SAY) 'running the tests'
	@$(BIN)/python -m pytest -n $(JOBS) --maxprocesses 8 $(if $(strip $(ARGS)),$(ARGS),--cov)

soak: $(VENV)/.dev $(V1)/.stubs ## run the tests of endurance, which take hours; ARGS go to pytest, SOAK_GAMES=1000 shortens one
	$(SAY) 'running the tests of endurance'
	@$(BIN)/python -m pytest -m soak --timeout 14400 $(if $(strip $(ARGS)),$(ARGS),tests)

lint: $(VENV)/.dev $(V1)/.stubs ## check style, types, imports between rooms, and the protocol
	$(SAY) 'checking style (ruff)'
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	$(SAY) 'checking types (mypy)'
	@$(BIN)/mypy
	@MYPYPATH=server:clients/python:tests:tests/bots:tests/packaging $(BIN)/mypy --config-file= --cache-dir .mypy_cache/tests \
		--explicit-package-bases --check-untyped-defs --follow-imports=silent tests
	$(SAY) 'checking imports between rooms (import-linter)'
	@$(BIN)/lint-imports --no-logo
	$(SAY) 'checking the protocol (buf)'
	@$(BIN)/buf lint
	@tag=$$(git describe --tags --abbrev=0 2>/dev/null) || tag=; \
	if [ -n "$$tag" ]; then echo "against $$tag"; $(BIN)/buf breaking --against ".git#tag=$$tag"; fi

stubs: $(VENV)/.arena $(V1)/.stubs ## make the Python stubs from proto/
	$(SAY) 'stubs are in $(V1)'

bench: $(VENV)/.arena $(V1)/.stubs ## measure how fast this is; ARGS go to `bluke bench`
	@$(PIP) install --no-build-isolation --only-binary open_spiel -e '.[fast,bench]' || echo 'open_spiel cannot be had here'
	@$(BIN)/bluke bench $(ARGS)

fuzz: $(VENV)/.dev $(V1)/.stubs ## try many inputs on all that reads any; ARGS go to tests/fuzz/run_atheris.py
	$(SAY) 'installing what tries them'
	@$(PIP) install --no-build-isolation --only-binary atheris -e '.[fast,dev,fuzz]' \
		|| echo 'atheris cannot be had here: nothing is tried beyond what `make test` does'
	$(SAY) 'fuzzing'
	@$(BIN)/python tests/fuzz/run_atheris.py $(ARGS)

clean: ## remove .venv, stubs and caches; runs/ stays
	$(SAY) 'removing .venv, stubs and caches'
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis htmlcov .fuzz .coverage .coverage.*
	@rm -f $(V1)/*_pb2.py $(V1)/*_pb2.pyi $(V1)/*_pb2_grpc.py $(V1)/.stubs
	@find server clients/python tests -name __pycache__ -type d -prune -exec rm -rf {} +
	@rm -rf __pycache__

# What builds the package, together with what keeps grpcio below the slow releases, so that it is fetched once.
define BUILD_NEEDS
import tomllib
with open("pyproject.toml", "rb") as file:
    settings = tomllib.load(file)
print(*settings["build-system"]["requires"], *settings["project"]["optional-dependencies"]["fast"], sep="\n")
endef
export BUILD_NEEDS

$(VENV)/.made:
	$(SAY) 'making $(VENV)'
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'Bluke Arena needs Python 3.11 or newer, and "$(PYTHON)" is not. Name one: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo '"$(PYTHON) -m venv" failed. On Debian or Ubuntu install it with: apt install python3-venv' >&2; exit 1; }
	@touch $@

$(VENV)/.arena: $(VENV)/.made $(BUILD)
	$(SAY) 'installing bluke-arena'
	@$(BIN)/python -c "$$BUILD_NEEDS" | $(PIP) install -r /dev/stdin
	@$(PIP) install --no-build-isolation -e '.[fast]'
	@touch $@

$(VENV)/.dev: $(VENV)/.arena
	$(SAY) 'installing the tools for tests and checks'
	@$(PIP) install --no-build-isolation -e '.[fast,dev]'
	@touch $@

$(V1)/.stubs: $(PROTO) hatch_build.py | $(VENV)/.arena
	$(SAY) 'making the stubs'
	@$(BIN)/python hatch_build.py
	@touch $@
