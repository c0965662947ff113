#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_extensions
short_description: Install, upgrade, roll back or remove all extensions of a cluster, with OLM v1 or without
version_added: 0.1.0
description:
  - Does the work of M(fleet.olm.bundle_install) or M(fleet.olm.cluster_extension) for a list of extensions, over one connection. Which of the two it is for an
    extension is decided by its O(extensions[].engine), and is in the result.
  - Extensions are worked on by wave, and within one in an order in which each comes after those that it needs, else as given; backwards where they are
    removed.
  - One that fails keeps those that need it from being tried; all others are tried nevertheless. Where any failed, the task fails, and says of each what
    became of it.
  - In check mode an extension may need what an earlier one of the list would bring.
options:
  extensions:
    description: The extensions.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: The name of the extension. It is unique on a cluster.
        type: str
        required: true
      namespace:
        description: The namespace that the operator is installed in.
        type: str
        required: true
      engine:
        description:
          - V(auto) is OLM v1 where it serves ClusterExtensions and a controller answers, and V(direct) elsewhere, for extensions without
            O(extensions[].package), and for those that were installed so.
        type: str
        choices: [auto, olm, direct]
        default: auto
      needs:
        description: Extensions of the list that have to be there first.
        type: list
        elements: str
        default: []
      when:
        description: The extension is left out on clusters whose O(labels) do not fit, see P(fleet.olm.operators#role).
        type: dict
      wave:
        description: Extensions of lower waves come first, and go last where they are removed.
        type: int
        default: 0
      source:
        description:
          - The bundle, for the engine V(direct); see M(fleet.olm.bundle_info) for what it can be. Left out, it is looked up in O(extensions[].catalog).
        type: raw
      package:
        description: The package, for the engine V(olm).
        type: str
      version:
        description: The version of the package, for the engine V(olm).
        type: str
      channels:
        description: The channels of the package, for the engine V(olm).
        type: list
        elements: str
        default: []
      catalog:
        description: The catalog in which the engine V(olm) looks the bundle up beforehand.
        type: raw
      upgrade_constraint_policy:
        description: Which upgrades the engine V(olm) allows.
        type: str
        choices: [CatalogProvided, SelfCertified]
      config:
        description: The configuration of the bundle.
        type: raw
      create_namespace:
        description: Whether to create the install namespace where it is missing. Unlike in the modules for one extension, that is done unless it is V(false).
        type: bool
      certificate_provider:
        description: As for M(fleet.olm.bundle_install).
        type: str
        choices: [auto, cert-manager, openshift-service-ca, none]
      image_mirrors:
        description: As for M(fleet.olm.bundle_install).
        type: list
        elements: dict
        suboptions:
          source:
            description: The beginning of images to replace, up to a slash, colon or the end.
            type: str
            required: true
          mirror:
            description: What to put in its place.
            type: str
            required: true
      wait_timeout:
        description: How long to wait for any one thing, in seconds.
        type: int
      wait_for:
        description: As for M(fleet.olm.bundle_install).
        type: str
        choices: [ready, applied]
      adopt:
        description: As for M(fleet.olm.bundle_install).
        type: bool
      force_conflicts:
        description: Whether to take over fields that somebody else set.
        type: bool
      accept_permissions:
        description: Accepts the permissions that an upgrade gains, by their digest, or V(all).
        type: str
      crd_safety:
        description: As for M(fleet.olm.bundle_install).
        type: str
        choices: [live, strict, warn, "off"]
      history_limit:
        description: As for M(fleet.olm.bundle_install).
        type: int
      selector:
        description: As for M(fleet.olm.cluster_extension).
        type: dict
      crd_upgrade_safety:
        description: As for M(fleet.olm.cluster_extension).
        type: str
        choices: [strict, none]
      progress_deadline_minutes:
        description: As for M(fleet.olm.cluster_extension).
        type: int
      service_account:
        description: As for M(fleet.olm.cluster_extension).
        type: str
      retry_grace:
        description: As for M(fleet.olm.cluster_extension).
        type: int
      delete_crds:
        description: Names of CRDs of the extension to delete with it where O(state=absent). Refused while custom resources exist.
        type: list
        elements: str
        default: []
      delete_custom_resources:
        description: Names of CRDs, out of O(extensions[].delete_crds), all custom resources of which are to be deleted first.
        type: list
        elements: str
        default: []
  state:
    description:
      - V(present) installs, upgrades and mends. V(rolled_back) makes each what it was before its last change, which OLM v1 cannot.
      - V(absent) removes them in the opposite order, with the engine that installed each. CRDs and custom resources stay, see O(extensions[].delete_crds).
    type: str
    choices: [present, absent, rolled_back]
    default: present
  labels:
    description: The labels of the cluster.
    type: dict
    default: {}
  on_failure:
    description: Whether to go on with extensions that do not need the one that failed, or to V(stop).
    type: str
    choices: [continue, stop]
    default: continue
  accept_permissions:
    description: The same for every extension that does not say so itself.
    type: str
extends_documentation_fragment:
  - fleet.olm.cluster
  - fleet.olm.registry
attributes:
  check_mode:
    description: Plans with the API server's own dry run and changes nothing.
    support: full
  diff_mode:
    description: Shows the fields of the plans. The contents of Secrets are hidden.
    support: full
seealso:
  - module: fleet.olm.fleet_lock
  - module: fleet.olm.bundle_install
  - module: fleet.olm.cluster_extension
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Two operators, the second of which needs the first
  fleet.olm.fleet_extensions:
    extensions:
      - name: greeter
        namespace: greeter-system
        source: examples/bundles/greeter
      - name: kiali
        namespace: kiali-system
        source: examples/bundles/kiali-k8sv1
        needs: [greeter]

- name: Remove both, the second first
  fleet.olm.fleet_extensions:
    extensions:
      - name: greeter
        namespace: greeter-system
        delete_crds:
          - greetings.greeter.example.com
      - name: kiali
        namespace: kiali-system
        needs: [greeter]
    state: absent
"""

RETURN = r"""
extensions:
  description:
    - What became of each, in the order in which they were worked on. C(state) is C(installed), C(absent), C(failed), or C(blocked) where
      one that it needs failed. C(plan) has the objects that changed, or would in check mode.
  returned: success, and when some failed
  type: list
  elements: dict
  sample:
    - {name: greeter, namespace: greeter-system, engine: direct, why: the cluster does not serve ClusterExtensions, state: installed, version: 1.0.0,
       wanted_version: 1.0.0, revision: 1, changed: true, requests: 38}
requests:
  description: How many requests were sent to the API server.
  returned: success, and when some failed
  type: int
  sample: 12
"""

from typing import NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.cluster.authentication import LIBRARY_ERROR
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.direct.observe import CONNECTIONS
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.fleet.cluster_work import EXTENSION_OPTIONS, work_through


def run(call: Call) -> Outcome:
    with Client(Connection.from_options(call.options), dry_run=call.check_mode, connections=CONNECTIONS) as client:
        return work_through(call, client)


PROGRAM = Program(
    argument_spec={
        **CONNECTION_OPTIONS,
        **REGISTRY_OPTIONS,
        "extensions": {"type": "list", "elements": "dict", "required": True, "options": EXTENSION_OPTIONS},
        "state": {"type": "str", "choices": ["present", "absent", "rolled_back"], "default": "present"},
        "labels": {"type": "dict", "default": {}},
        "on_failure": {"type": "str", "choices": ["continue", "stop"], "default": "continue"},
        "accept_permissions": {"type": "str"},
    },
    run=run,
    library_error=LIBRARY_ERROR,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
