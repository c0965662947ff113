#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_info
short_description: What an operator bundle is, needs and will be allowed to do
version_added: 0.1.0
description:
  - Reads a bundle and tells what there is to know before it is installed, without a cluster.
  - Returns the schema of the configuration that it accepts; O(schema_dest) writes it to a file that editors can use.
options:
  schema_dest:
    description: A file to write the configuration schema to, as JSON Schema draft-07.
    type: path
extends_documentation_fragment:
  - fleet.olm.source
  - fleet.olm.registry
attributes:
  diff_mode:
    description: Shows what is changed in diff mode.
    support: full
seealso:
  - module: fleet.olm.bundle_validate
  - module: fleet.olm.bundle_render
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Look at a bundle
  fleet.olm.bundle_info:
    source: examples/bundles/greeter
  register: looked

- name: What will it be allowed to do?
  ansible.builtin.debug:
    msg: "{{ looked.permissions }}"

- name: Have the schema of its configuration in the editor
  fleet.olm.bundle_info:
    source: examples/bundles/greeter
    schema_dest: greeter.schema.json
"""

RETURN = r"""
bundle:
  description:
    - What the bundle says of itself.
    - C(permissions) has the rules of each service account, C(namespaced) in the watched namespaces and C(cluster) in all. Where the bundle ships
      bindings there are also those in the namespace that it is installed in, C(install_namespace), and the C(roles) whose rules it does not tell, for example
      the ClusterRole cluster-admin.
  returned: success
  type: dict
  sample:
    package: greeter
    name: greeter.v1.0.0
    version: 1.0.0
    format: registry+v1
    digest: sha256:4be1
    min_kube_version: 1.27.0
    suggested_namespace: greeter-system
    install_modes: {AllNamespaces: true, OwnNamespace: true, SingleNamespace: false, MultiNamespace: false}
permissions:
  description:
    - What its service accounts will be allowed to do, in words.
    - So are users, groups and whoever has roles of the cluster, where the bundle ships bindings for them or ClusterRoles that those roles gather by label.
  returned: success
  type: list
  elements: str
  sample: ["may read, list and watch ConfigMaps in the watched namespaces (service account greeter)"]
schema:
  description: The JSON Schema of its configuration; V(null) where it takes none.
  returned: success
  type: dict
  sample: {type: object, additionalProperties: false}
"""

import json
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.facts import bundle_facts
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import SOURCE_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.manifests.files import plan_file, write_file
from ansible_collections.fleet.olm.plugins.module_utils.rbac.bundle import bundle_grants
from ansible_collections.fleet.olm.plugins.module_utils.rbac.words import sentences


def run(call: Call) -> Outcome:
    loaded = load_bundle(call.options["source"], SourceOptions.from_options(call.options))
    schema = schema_of(loaded.bundle).document
    facts = {**bundle_facts(loaded.bundle), "digest": loaded.digest, "reference": loaded.reference}
    warnings = (*loaded.warnings, *facts.pop("unsupported"))
    facts.pop("warnings")
    result: dict[str, Any] = {
        "bundle": facts,
        "permissions": sentences(bundle_grants(loaded.bundle)),
        "schema": schema,
    }
    changed = False
    if call.options["schema_dest"]:
        plan = plan_file(call.options["schema_dest"], json.dumps(schema, indent=2, sort_keys=True) + "\n")
        changed = plan.changed
        if call.diff:
            result["diff"] = plan.diff
        if changed and not call.check_mode:
            write_file(plan)
    return Outcome(result, changed=changed, warnings=warnings)


PROGRAM = Program(
    argument_spec={**SOURCE_OPTIONS, "schema_dest": {"type": "path"}},
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
