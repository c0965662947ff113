#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_lock
short_description: Pin what a fleet runs, and find what is wrong with it before any cluster is touched
version_added: 0.1.0
description:
  - Takes the C(fleet_operators) of all clusters, checks them as a whole, and returns for each cluster its extensions in the order in which they can be
    installed, every bundle by its digest.
  - Bundles are resolved as OLM v1 would, read once, and every configuration is held against the schema of its bundle. Two extensions of one cluster that
    would bring the same object are told. All problems come at once, each with the clusters that have it.
  - What was resolved is kept in a lock file, which is reviewed like code. As long as it is there, exactly what it holds is used; a description or
    a catalog that no longer agrees with it is a failure.
  - Nothing is asked of a cluster.
options:
  operators:
    description:
      - The extensions of each cluster, by its name; each is a list of mappings as the variable C(fleet_operators) of the role
        P(fleet.olm.operators#role) has them.
    type: dict
    required: true
  labels:
    description: The labels of each cluster, by its name, which C(when) of an extension is about.
    type: dict
    default: {}
  catalogs:
    description: The catalog of each cluster, by its name, for packages that name none. A cluster without one has O(catalog).
    type: dict
    default: {}
  catalog:
    description: The catalog of packages that name none, on clusters without one in O(catalogs); see M(fleet.olm.catalog_resolve) for what it can be.
    type: raw
  path:
    description: The lock file. Where it does not exist, it is written.
    type: path
    required: true
  update:
    description: >-
      Whether to resolve everything anew and rewrite the lock file. A package that was locked before moves only along upgrades that the catalog has, unless
      C(upgrade_constraint_policy) of the extension is V(SelfCertified). A lock file that is damaged counts as none then, with a warning.
    type: bool
    default: false
  partial:
    description: >-
      Whether O(operators) are those of a part of the fleet only, as where its inventory was sliced. The lock file has to be there then,
      and is only read: what this part would write lacks what the others run.
    type: bool
    default: false
  ask_catalogs:
    description: Whether to make sure that catalogs still have what is locked, and to tell what is newer. Without it a run needs no catalog.
    type: bool
    default: true
  strict:
    description: >-
      Whether to fail where anything is wrong. Otherwise RV(problems) has it, RV(extensions) what nothing is wrong with, and the lock file is not written.
    type: bool
    default: true
extends_documentation_fragment:
  - fleet.olm.registry
attributes:
  check_mode:
    description: Resolves and checks as usual, and does not write the lock file.
    support: full
  diff_mode:
    description: Shows what changes in the lock file.
    support: full
seealso:
  - module: fleet.olm.fleet_extensions
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Pin what two clusters run
  fleet.olm.fleet_lock:
    operators:
      edge-1:
        - name: greeter
          namespace: greeter-system
          source: examples/bundles/greeter
      prod-1:
        - name: stamper
          namespace: stamper-system
          source: examples/bundles/stamper
          needs: [greeter]
        - name: greeter
          namespace: greeter-system
          source: examples/bundles/greeter
          config:
            watchNamespace: greeter-system
    path: fleet.lock.yml
  register: locked
"""

RETURN = r"""
extensions:
  description: The extensions of each cluster in the order to install them in, as M(fleet.olm.fleet_extensions) takes them.
  returned: success
  type: dict
  sample:
    edge-1:
      - {name: greeter, namespace: greeter-system, source: examples/bundles/greeter, version: 1.0.0, engine: auto, needs: [], wave: 0}
moves:
  description: What O(update) moves, with the permissions that come with it.
  returned: success
  type: list
  elements: dict
  sample: [{name: greeter, from: 1.0.0, to: 1.1.0, permissions_gained: [may read and list Secrets in all namespaces (service account greeter)]}]
newer:
  description: What catalogs offer beyond what is locked.
  returned: success
  type: list
  elements: dict
  sample: [{name: greeter, locked: 1.0.0, available: 1.1.0}]
outdated:
  description: Whether the lock file was not yet, or no longer, what it is to be.
  returned: success
  type: bool
  sample: false
problems:
  description: All that is wrong, a line each.
  returned: always
  type: list
  elements: str
  sample: ["prod-1: greeter: invalid configuration: unknown field 'watchNamespaces', did you mean 'watchNamespace'?"]
"""

from pathlib import Path
from typing import NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError, Problems
from ansible_collections.fleet.olm.plugins.module_utils.fleet.description import described_fleet
from ansible_collections.fleet.olm.plugins.module_utils.fleet.lock import Request, lock_fleet
from ansible_collections.fleet.olm.plugins.module_utils.fleet.lock_file import lock_text, lock_to_hold
from ansible_collections.fleet.olm.plugins.module_utils.manifests.files import plan_file, write_file


def run(call: Call) -> Outcome:
    options = call.options
    if options["partial"]:
        _refuse_to_write(options["path"], options["update"])
    held, damage = lock_to_hold(options["path"], anew=options["update"])
    fleet, undescribed = described_fleet(
        options["operators"], options["labels"], options["catalogs"], options["catalog"]
    )
    request = Request(
        fleet=fleet,
        held=held,
        access=SourceOptions.from_options(options),
        update=options["update"],
        ask_catalogs=options["ask_catalogs"],
        # Clusters that could not be read may want what nobody else does.
        partial=options["partial"] or bool(undescribed),
    )
    answer = lock_fleet(request)
    warnings = (*damage, *answer.warnings)
    problems = [*undescribed, *answer.problems]
    if problems and options["strict"]:
        raise Problems(problems)
    result = {
        # Those that could not be read have none, so that nobody has to ask whether a cluster is there.
        "extensions": {cluster: answer.extensions.get(cluster, []) for cluster in options["operators"]},
        "moves": list(answer.moves),
        "newer": list(answer.newer),
        "problems": problems,
        "outdated": False,
    }
    if problems or (held is not None and not options["update"]):
        return Outcome(result, warnings=warnings)
    plan = plan_file(options["path"], lock_text(answer.entries))
    result["outdated"] = plan.changed
    if plan.changed and not call.check_mode:
        write_file(plan)
    if call.diff:
        result["diff"] = [plan.diff]
    return Outcome(result, changed=plan.changed, warnings=warnings)


def _refuse_to_write(path: str, update: bool) -> None:
    exists = Path(path).exists()
    if exists and not update:
        return
    what = (
        "cannot be updated from a part of the fleet"
        if exists
        else "is not there, and a part of the fleet cannot write it"
    )
    raise OptionError(f"lock {path} {what}: run fleet.olm.lock over the whole inventory first")


PROGRAM = Program(
    argument_spec={
        **REGISTRY_OPTIONS,
        "operators": {"type": "dict", "required": True},
        "labels": {"type": "dict", "default": {}},
        "catalogs": {"type": "dict", "default": {}},
        "catalog": {"type": "raw"},
        "path": {"type": "path", "required": True},
        "update": {"type": "bool", "default": False},
        "partial": {"type": "bool", "default": False},
        "ask_catalogs": {"type": "bool", "default": True},
        "strict": {"type": "bool", "default": True},
    },
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
