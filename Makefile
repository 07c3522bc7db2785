# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# PYTHON=/path/to/python chooses the interpreter (3.11 or newer), STEPS="ruff unit" the steps of `make test`.

SHELL = /bin/bash
.PHONY: help quickstart check test test-deep test-matrix bench site clean

LINT = ruff mypy imports ansible-lint docs licences
# In the order in which they start: make fills the cores best if the longest are first.
FAST = cluster molecule unit wheel registry sanity $(LINT)
DEEP = cluster odd artefact unit browser registry sanity ansible-lint
# `make test-deep` runs the tests with the marker deep, and `make test` all others.
export TIER
STEPS = $(if $(filter deep,$(TIER)),$(DEEP),$(FAST))
# The tests of clusters wait often, so two more steps keep two cores busy.
JOBS = 3
# Built before the other steps, because make starts what depends on a running step after everything else.
PROGRAMS = $(if $(filter programs cluster molecule,$(STEPS)),programs)
OTHERS = $(filter-out programs,$(STEPS))
LOGS = .cache/logs$(TIER:%=/%)

# Without the user's Ansible settings, and with one interpreter for Ansible and its tasks.
PLAY = env -u ANSIBLE_COLLECTIONS_PATH ANSIBLE_CONFIG=tools/ansible.cfg \
	ANSIBLE_PYTHON_INTERPRETER="$$PWD/.venv/bin/python" .venv/bin/ansible-playbook

help:
	@echo 'make quickstart   show a release and what is in it (needs Python 3.11 or newer, and a package index once)'
	@echo 'make check        the static checks, and the unit and parity tests'
	@echo 'make test         every check that a change has to pass; STEPS="ruff unit" runs some of them'
	@echo 'make test-deep    what takes longer: kills, overload, all real releases, the artefact, odd folders'
	@echo 'make test-matrix  every other ansible-core whose Python is installed'
	@echo 'make site         build the documentation site in .cache/site/html, and check its links'
	@echo 'make bench        measure how long the main jobs take'
	@echo 'make clean        remove what the other targets made'

quickstart:
	@tools/setup quickstart
	@QUICKSTART_DEST="$$PWD/.cache/quickstart" $(PLAY) examples/quickstart.yml

test:
	@tools/setup test
	@mkdir -p $(LOGS) && rm -f $(LOGS)/*.log && touch $(LOGS)/started
	@$(if $(PROGRAMS),$(MAKE) --no-print-directory $(LOGS)/programs.log || true)
	@$(if $(OTHERS),$(MAKE) --no-print-directory --keep-going --jobs=$(JOBS) $(OTHERS:%=$(LOGS)/%.log) || true)
	@.venv/bin/python tools/summary.py "$(LOGS)" $(PROGRAMS) $(OTHERS)

check:
	@$(MAKE) --no-print-directory test STEPS="wheel unit $(LINT)"

test-deep:
	@$(MAKE) --no-print-directory test TIER=deep

site:
	@tools/setup test
	@.venv/bin/python tools/docsite.py

# Of the whole run, and so of each step: on a busy machine, a step ends when it ends.
LIMIT = 5400
NICE = 10
$(LOGS)/cluster.log $(LOGS)/programs.log: NICE = 0
# Other steps keep the second core busy: a second process would only collect all tests once more.
$(LOGS)/unit.log $(LOGS)/wheel.log: ARGUMENTS = -n $(if $(filter cluster,$(STEPS)),0,2)

# One step is one session of nox. Its log ends with its seconds.
$(LOGS)/%.log:
	@{ time -p timeout --foreground --signal=INT --kill-after=60 $(LIMIT) nice -n $(NICE) \
		.venv/bin/nox --non-interactive --no-color --session $* -- $(ARGUMENTS); } > $@ 2>&1 \
		&& echo "ok      $*" || { echo "FAILED  $*"; tail -n 200 $@; false; }

test-matrix:
	@tools/setup test
	@.venv/bin/nox --non-interactive --session matrix

bench:
	@tools/setup test
	@.venv/bin/python tests/benchmarks/run.py

clean:
	rm -rf .venv .cache .ansible .hypothesis .nox collections tests/output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
