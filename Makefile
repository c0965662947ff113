# fleet.olm: what there is to do, each with one command. Everything is made in .venv, .build and .demo.

PYTHON ?= python3
VENV := .venv
# Where Ansible and Python find the checkout as a collection.
COLLECTION := .build/collections/ansible_collections/fleet/olm
export PYTHONPATH := $(CURDIR)/.build/collections
export ANSIBLE_COLLECTIONS_PATH := $(CURDIR)/.build/collections

.PHONY: help demo demo-down test unit lint docs changelog bench soak clean

help: ## Say what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

demo: $(VENV)/.ready ## Three local clusters and the collection at work; DEMO_KUBECONFIG=file uses yours
	@$(VENV)/bin/python dev/demo.py up

demo-down: ## Remove all that the demo made
	@if [ -d $(VENV) ]; then $(VENV)/bin/python dev/demo.py down; fi; rm -rf .demo

test: $(VENV)/.ready ## Every check there is
	@$(VENV)/bin/python dev/run_tests.py

unit: $(VENV)/.ready ## Unit tests only, in seconds
	@$(VENV)/bin/python -m pytest .build/collections/ansible_collections/fleet/olm/tests/unit

lint: $(VENV)/.ready ## Linters and types
	@$(VENV)/bin/python dev/run_tests.py lint

docs: $(VENV)/.ready ## Check the documentation and write it to .build/docs
	@$(VENV)/bin/python dev/run_tests.py docs
	@rm -rf .build/docs && mkdir -p .build/docs
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/antsibull-docs collection --use-current --squash-hierarchy --dest-dir .build/docs fleet.olm
	@echo "written to .build/docs"

changelog: $(VENV)/.ready ## Write the changelog of the version in galaxy.yml from its fragments
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/antsibull-changelog release --update-existing --refresh --reload-plugins

bench: $(VENV)/.ready ## Benchmarks, with ratios
	@$(VENV)/bin/python -m ansible_collections.fleet.olm.tests.benchmarks.bundle
	@$(VENV)/bin/python -m ansible_collections.fleet.olm.tests.benchmarks.catalog
	@$(VENV)/bin/python -m ansible_collections.fleet.olm.tests.benchmarks.module_start
	@$(VENV)/bin/python -m ansible_collections.fleet.olm.tests.benchmarks.crd
	@$(VENV)/bin/python -m ansible_collections.fleet.olm.tests.benchmarks.cluster_info
	@$(VENV)/bin/python -m ansible_collections.fleet.olm.tests.benchmarks.direct
	@$(VENV)/bin/python -m ansible_collections.fleet.olm.tests.benchmarks.direct_fleet
	@$(VENV)/bin/python -m ansible_collections.fleet.olm.tests.benchmarks.cluster_extension
	@$(VENV)/bin/python -m ansible_collections.fleet.olm.tests.benchmarks.fleet
	@$(VENV)/bin/python -m ansible_collections.fleet.olm.tests.benchmarks.fleet_report

soak: $(VENV)/.ready ## The long sweeps that 'make test' takes samples of
	@FLEET_OLM_SEED=$${FLEET_OLM_SEED:-$$(date +%s)} FLEET_OLM_FUZZ=10000 FLEET_OLM_EVERY_KILL=1 $(VENV)/bin/python dev/run_tests.py unit integration

clean: demo-down ## Remove everything that was made here
	rm -rf .build $(VENV)

$(COLLECTION):
	@mkdir -p $(@D)
	@ln -sfn ../../../.. $@

$(VENV)/.ready: dev/requirements.txt | $(COLLECTION)
	@$(PYTHON) -c 'import sys; sys.exit("fleet.olm needs Python 3.11 or newer, and this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@echo "making a virtual environment in $(VENV)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r dev/requirements.txt
	@touch $@
