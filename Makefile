# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# PYTHON=/path/to/python chooses the interpreter (3.11 or newer), STEPS="ruff unit" the steps of `make test`.

SHELL = /bin/bash
.PHONY: help quickstart check test test-matrix test-ee bench lint unit site public-site clean

LINT = ruff mypy imports ansible-lint docs changelog licences words
# In the order in which they start: make fills the cores best if the longest are first.
STEPS = cluster artefact molecule unit wheel integration browser site registry sanity $(LINT)
# The tests of clusters wait often, so two more steps keep two cores busy.
JOBS = 3
# Built before the other steps, so that the build does not count against their time limits, and because make starts what
# depends on a running step after everything else.
PROGRAMS = $(if $(filter programs cluster molecule,$(STEPS)),programs)
OTHERS = $(filter-out programs,$(STEPS))
LOGS = .cache/logs

# Without the user's Ansible settings, and with one interpreter for Ansible and its tasks.
PLAY = env -u ANSIBLE_COLLECTIONS_PATH ANSIBLE_CONFIG=tools/ansible.cfg \
	ANSIBLE_PYTHON_INTERPRETER="$$PWD/.venv/bin/python" .venv/bin/ansible-playbook

help:
	@echo 'make quickstart   show a release and what is in it (needs Python 3.11 or newer, and a package index once)'
	@echo 'make check        the checks that take seconds, and the unit and parity tests'
	@echo 'make test         every check that a change has to pass; STEPS="ruff unit" runs some of them'
	@echo 'make lint         only the checks that take seconds'
	@echo 'make unit         only the unit and parity tests'
	@echo 'make site         build the documentation site in .cache/site/html, and check its links'
	@echo 'make public-site  build the sites of this checkout (devel) and of the newest release (latest) in .cache/public'
	@echo 'make test-matrix  what the gate leaves out, and all on every ansible-core and Python at hand'
	@echo 'make test-ee      build an execution environment on a Debian base image and test it (needs buildah, mmdebstrap)'
	@echo 'make bench        measure how long the main jobs take'
	@echo 'make clean        remove what the other targets made'

quickstart:
	@tools/setup quickstart
	@QUICKSTART_DEST=$(CURDIR)/.cache/quickstart $(PLAY) examples/quickstart.yml

test:
	@tools/setup test
	@mkdir -p $(LOGS) && rm -f $(LOGS)/*.log && touch $(LOGS)/started
	@$(if $(PROGRAMS),$(MAKE) --no-print-directory $(LOGS)/programs.log || true)
	@$(if $(OTHERS),$(MAKE) --no-print-directory --keep-going --jobs=$(JOBS) $(OTHERS:%=$(LOGS)/%.log) || true)
	@.venv/bin/python tools/summary.py $(PROGRAMS) $(OTHERS)

check:
	@$(MAKE) --no-print-directory test STEPS="wheel unit $(LINT)"

lint:
	@$(MAKE) --no-print-directory test STEPS="$(LINT)"

unit:
	@$(MAKE) --no-print-directory test STEPS="wheel unit"

site:
	@tools/setup test
	@.venv/bin/python tools/docsite.py

# The release brings its own tools and pins.
public-site:
	@rm -rf .cache/public .cache/latest && git worktree prune && mkdir -p .cache/public
	@tag=$$(git tag --list 'v*' --sort=-version:refname | head -n 1); start=$${tag:+latest}; \
	build() { SITE_VERSION=$${tag:+$$2} $(MAKE) --no-print-directory --directory "$$1" site && \
		cp -r "$$1/.cache/site/html" ".cache/public/$$2"; }; \
	build . devel && if [[ -n $$tag ]]; then \
		git worktree add --quiet --detach .cache/latest "$$tag" && build .cache/latest latest; \
	fi && printf '<!DOCTYPE html>\n<meta http-equiv="refresh" content="0; url=%s/index.html">\n' "$${start:-devel}" \
		> .cache/public/index.html

LIMIT = 1800
NICE = 10
$(LOGS)/cluster.log $(LOGS)/programs.log: NICE = 0
# A build on a busy machine ends when it ends.
$(LOGS)/programs.log: LIMIT = 0
# Other steps keep the second core busy: a second process would only collect all tests once more.
$(LOGS)/unit.log $(LOGS)/wheel.log: ARGUMENTS = -n $(if $(filter cluster,$(STEPS)),0,2)

# One step is one session of nox. Its log ends with its seconds.
$(LOGS)/%.log:
	@{ time -p timeout --foreground --signal=INT --kill-after=60 $(LIMIT) nice -n $(NICE) \
		.venv/bin/nox --non-interactive --no-color --session $* -- $(ARGUMENTS); } > $@ 2>&1 \
		&& echo "ok      $*" || { echo "FAILED  $*"; tail -n 200 $@; false; }

test-matrix:
	@tools/setup test
	@.venv/bin/nox --non-interactive --session whole matrix

test-ee:
	@tools/setup test
	@.venv/bin/python tools/execution_environment.py

bench:
	@tools/setup test
	@.venv/bin/python tests/benchmarks/run.py

clean:
	rm -rf .venv .cache .ansible .hypothesis .nox collections tests/output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
