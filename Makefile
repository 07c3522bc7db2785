# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# PYTHON=/path/to/python chooses the interpreter (3.11 or newer), STEPS="ruff unit" the steps of `make test`.

.POSIX:
.PHONY: help quickstart check test test-matrix test-ee bench lint unit site clean

# Without the user's Ansible settings, and with one interpreter for Ansible and its tasks.
PLAY = env -u ANSIBLE_COLLECTIONS_PATH ANSIBLE_CONFIG=tools/ansible.cfg \
	ANSIBLE_PYTHON_INTERPRETER="$$PWD/.venv/bin/python" .venv/bin/ansible-playbook

help:
	@echo 'make quickstart   show a release and what is in it (needs Python 3.11 or newer, and a package index once)'
	@echo 'make check        only what the changed files can break; BASE=main compares with another commit'
	@echo 'make test         every check that a change has to pass; STEPS="ruff unit" runs some of them'
	@echo 'make lint         only the checks that take seconds'
	@echo 'make unit         only the unit and parity tests'
	@echo 'make site         build the documentation site in .cache/site/html, and check its links'
	@echo 'make test-matrix  what the gate leaves out, and all on every ansible-core and Python at hand'
	@echo 'make test-ee      build an execution environment on a Debian base image and test it (needs buildah, mmdebstrap)'
	@echo 'make bench        measure how long the main jobs take'
	@echo 'make clean        remove what the other targets made'

quickstart:
	@tools/setup quickstart
	@$(PLAY) examples/quickstart.yml

check:
	@tools/setup test
	@.venv/bin/python tools/gate --changed $(BASE)

test:
	@tools/setup test
	@.venv/bin/python tools/gate $(STEPS)

lint:
	@tools/setup test
	@.venv/bin/python tools/gate ruff mypy imports ansible-lint docs changelog licences words

unit:
	@tools/setup test
	@.venv/bin/python tools/gate unit

site:
	@tools/setup test
	@.venv/bin/python tools/docsite.py

test-matrix:
	@tools/setup test
	@.venv/bin/python tools/matrix

test-ee:
	@tools/setup test
	@.venv/bin/python tools/execution_environment.py

bench:
	@tools/setup test
	@.venv/bin/python tests/benchmarks/run.py

clean:
	rm -rf .venv .cache .ansible .hypothesis collections tests/output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
