#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_install_info
short_description: What operator bundles were installed on a cluster without OLM, and what it takes to install one
version_added: 0.1.0
description:
  - Lists the extensions that M(fleet.olm.bundle_install) put on a cluster, with their revisions, health, drift and permissions.
  - With O(source) it tells, before anything is installed, the smallest roles that suffice to install a bundle, and what of them you lack.
  - Changes nothing. Drift is found with the API server's own dry run.
options:
  name:
    description: The name of one extension. Left out, all are listed.
    type: str
  namespace:
    description: The namespace to look in. Left out, it is all namespaces.
    type: str
  source:
    description: A bundle, of which to tell in RV(permissions_needed) what it takes to install it as O(name) in O(namespace).
    type: raw
  config:
    description: The configuration to install it with, as for M(fleet.olm.bundle_install).
    type: raw
  certificate_provider:
    description: Who issues the certificates of webhooks, as for M(fleet.olm.bundle_install).
    type: str
    choices: [auto, cert-manager, openshift-service-ca, none]
    default: auto
  create_namespace:
    description: Whether the install namespace is to be created, which takes rights, too.
    type: bool
    default: false
extends_documentation_fragment:
  - fleet.olm.cluster
  - fleet.olm.registry
seealso:
  - module: fleet.olm.bundle_install
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: What is there
  fleet.olm.bundle_install_info:
  register: found

- name: Fail where something drifted
  ansible.builtin.assert:
    that: item.drift is none or not item.drift.found
  loop: "{{ found.extensions }}"
  loop_control:
    label: "{{ item.name }}"

- name: What would an installer have to be allowed to do?
  fleet.olm.bundle_install_info:
    name: greeter
    namespace: default
    source: examples/bundles/greeter
  register: needed

- name: Write it down for the cluster's administrator
  ansible.builtin.copy:
    content: "{{ needed.permissions_needed.roles | to_nice_yaml }}"
    dest: greeter-installer.yaml
    mode: "0644"
"""

RETURN = r"""
extensions:
  description: The extensions, ordered by namespace and name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      returned: always
      type: str
      sample: greeter
    namespace:
      description: The install namespace.
      returned: always
      type: str
      sample: greeter-system
    engine:
      description: Always V(direct).
      returned: always
      type: str
      sample: direct
    state:
      description: >-
        V(installed); V(pending) or V(removing) where a run is at work or was broken off; V(failed) where the last one was not finished.
      returned: always
      type: str
      sample: installed
    revision:
      description: The revision that was finished last.
      returned: always
      type: int
      sample: 2
    bundle:
      description: The bundle of that revision.
      returned: always
      type: dict
      sample: {name: greeter.v1.0.0, package: greeter, version: 1.0.0, digest: sha256:4be1, reference: examples/bundles/greeter}
    revisions:
      description: All revisions that are remembered, the newest first.
      returned: always
      type: list
      elements: dict
      sample:
        - {revision: 1, state: installed, started: "2026-01-01T00:00:00Z", finished: "2026-01-01T00:00:09Z", by: me@host, outcome: null, rolled_back_to: null}
    health:
      description: Whether everything is there and ready, and what is not.
      returned: where there is a revision
      type: dict
      sample: {ready: true, problems: []}
    drift:
      description: What differs from the revision, as the plan of a run that would mend it; null where no revision is finished and current.
      returned: where there is a revision
      type: dict
      sample: {found: false, changes: [], problems: []}
    permissions:
      description: What the operator may do.
      returned: where there is a revision
      type: list
      elements: str
      sample: [may read and list Secrets in all namespaces (service account greeter)]
    objects:
      description: The objects of the extension.
      returned: where there is a revision
      type: list
      elements: dict
      sample: [{apiVersion: apps/v1, kind: Deployment, name: greeter, namespace: greeter-system}]
    crds:
      description: The names of its CRDs.
      returned: where there is a revision
      type: list
      elements: str
      sample: [greetings.greeter.example.com]
permissions_needed:
  description: What it takes to install O(source). C(roles) are manifests of the smallest roles, C(missing) is what you may not do.
  returned: when O(source) is given
  type: dict
  sample: {roles: [], missing: []}
requests:
  description: How many requests were sent to the API server.
  returned: success
  type: int
  sample: 9
"""

from collections.abc import Mapping
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import LoadedBundle, load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.catalog.on_demand import of_client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.authentication import LIBRARY_ERROR
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.direct.compose import PROVIDER_OPTIONS, compose, named
from ansible_collections.fleet.olm.plugins.module_utils.direct.observe import CONNECTIONS
from ansible_collections.fleet.olm.plugins.module_utils.direct.ownership import Extension
from ansible_collections.fleet.olm.plugins.module_utils.direct.situation import look
from ansible_collections.fleet.olm.plugins.module_utils.direct.status import extensions_on, permissions_needed, told
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.render.check import configured


def run(call: Call) -> Outcome:
    options = call.options
    with Client(Connection.from_options(options), dry_run=True, connections=CONNECTIONS) as client:
        result: dict[str, Any] = {}
        warnings: tuple[str, ...] = ()
        if options["source"] is not None:
            extension = named(options["name"], options["namespace"])
            loaded = _loaded(client, extension, options)
            config, advice = configured(loaded.bundle, options["config"], extension.namespace)
            wanted = compose(client, extension, loaded, config, options["certificate_provider"], (), None)
            result["permissions_needed"] = permissions_needed(
                client, wanted, create_namespace=options["create_namespace"]
            )
            warnings = (*loaded.warnings, *advice)
            result["extensions"] = []
        else:
            found = extensions_on(client, options["name"], options["namespace"])
            result["extensions"] = [told(client, extension) for extension in found]
        return Outcome({**result, "requests": client.requests}, warnings=warnings)


def _loaded(client: Client, extension: Extension, options: Mapping[str, Any]) -> LoadedBundle:
    """The bundle that bundle_install would install."""
    access = SourceOptions.from_options(options)
    installed = None
    if isinstance(options["source"], Mapping):
        found = look(client, extension).installed
        installed = found.bundle if found else None
    return load_bundle(options["source"], access, installed=installed, of_cluster=of_client(client))


PROGRAM = Program(
    argument_spec={
        **CONNECTION_OPTIONS,
        **REGISTRY_OPTIONS,
        **PROVIDER_OPTIONS,
        "name": {"type": "str"},
        "namespace": {"type": "str"},
        "source": {"type": "raw"},
        "config": {"type": "raw"},
        "create_namespace": {"type": "bool", "default": False},
    },
    run=run,
    constraints={"required_by": {"source": ["name", "namespace"]}},
    library_error=LIBRARY_ERROR,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
