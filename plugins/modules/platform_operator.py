#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: platform_operator
short_description: Install the platform operators of a cluster on day zero
version_added: 0.1.0
description:
  - Takes all PlatformOperators (C(platform.openshift.io/v1alpha1)) of a cluster, finds the bundle of each in a catalog, installs it, and fails
    where one is not installed, after all of them were tried. No OLM and no other controller is needed on the cluster.
  - They come from O(operators) and O(src), and from the cluster where it serves PlatformOperators. Those that are given are put on such a cluster.
  - The bundle is the highest version of the package in the catalogs that fits the Kubernetes and OpenShift versions of the cluster. It must be
    of the format registry+v1, support all namespaces, and have neither dependencies nor webhooks nor APIServices. It is installed in the
    namespace that it suggests, or else in C(PACKAGE-system).
  - An operator that is installed stays at its version unless O(upgrade) says otherwise.
  - Of two PlatformOperators with one package the one that was created first is installed, and the other fails.
  - The conditions C(Sourced), C(Applied) and C(Installed) and C(activeBundleDeployment) are written to the status of PlatformOperators, and the
    ClusterOperator C(platform-operators-aggregated) stands for all of them, where the cluster serves these APIs.
options:
  operators:
    description:
      - Platform operators. Each is the name of a package, a mapping with C(name) and C(package), or a whole PlatformOperator, with its package in
        C(spec.package.name) or C(spec.packageName).
    type: list
    elements: raw
    default: []
  src:
    description: A folder with manifests, or a file, to take the PlatformOperators of. Other objects in it are passed over.
    type: path
  state:
    description:
      - V(present) installs all platform operators.
      - V(absent) removes those of O(operators) and O(src), and their PlatformOperators. CRDs and custom resources stay.
    type: str
    choices: [present, absent]
    default: present
  catalog:
    description:
      - The catalogs that bundles may come from, as for M(fleet.olm.catalog_resolve). Required unless everything is installed already.
    type: raw
  selector:
    description: Which of several catalogs are asked, as for M(fleet.olm.catalog_resolve).
    type: dict
  bundle_sources:
    description: Where bundles are read from instead of their images, by name of the bundle. See M(fleet.olm.bundle_info) for what that can be.
    type: dict
    default: {}
  upgrade:
    description: Whether operators that are installed are upgraded where the catalogs have a higher version.
    type: bool
    default: false
  accept_permissions:
    description: An upgrade that gains permissions stops and tells them, with a digest. This option accepts that gain, by its digest, or V(all).
    type: str
  prune:
    description:
      - Whether to remove operators that were installed for PlatformOperators which are no more. CRDs and custom resources stay.
    type: bool
    default: false
  image_mirrors:
    description: Registries to take images from instead, as for M(fleet.olm.bundle_render).
    type: list
    elements: dict
    default: []
    suboptions:
      source:
        description: The beginning of images to replace, up to a slash, colon or the end.
        type: str
        required: true
      mirror:
        description: What to put in its place.
        type: str
        required: true
  wait:
    description: Whether to wait until operators are what O(wait_for) says. Without it, none is known to be installed.
    type: bool
    default: true
  wait_timeout:
    description: How long to wait for any one thing, in seconds.
    type: int
    default: 300
  wait_for:
    description:
      - V(ready) waits until an operator runs, V(applied) until its objects are on the cluster.
    type: str
    choices: [ready, applied]
    default: ready
extends_documentation_fragment:
  - fleet.olm.cluster
  - fleet.olm.registry
attributes:
  check_mode:
    description: Finds bundles, plans with the API server's own dry run, and changes nothing.
    support: full
seealso:
  - module: fleet.olm.bundle_install
  - module: fleet.olm.catalog_resolve
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Allow a catalog with one operator in it
  fleet.olm.catalog_bundle:
    catalog: catalog
    source: examples/bundles/greeter
    image: registry.example.com/greeter-bundle:1.0.0
    channel: stable

- name: Install the platform operators of a folder, and fail unless all of them run
  fleet.olm.platform_operator:
    src: examples/platform/manifests
    catalog: catalog
    bundle_sources:
      greeter.v1.0.0: examples/bundles/greeter

- name: Once more, changing nothing, without any catalog
  fleet.olm.platform_operator:
    operators:
      - name: greetings
        package: greeter

- name: Remove it; its CRD and the greetings stay
  fleet.olm.platform_operator:
    operators: [greetings]
    state: absent

- name: Remove the CRD, too, which has to be named
  fleet.olm.bundle_install:
    name: greetings
    namespace: greeter-system
    state: absent
    delete_crds:
      - greetings.greeter.example.com
"""

RETURN = r"""
operators:
  description: What became of each platform operator, in the order of their creation.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: The name of the PlatformOperator.
      type: str
      sample: greetings
      returned: always
    package:
      description: Its package.
      type: str
      sample: greeter
      returned: always
    installed:
      description: Whether it is installed.
      type: bool
      sample: true
      returned: always
    message:
      description: Why it is not.
      type: str
      sample: ""
      returned: always
    namespace:
      description: The namespace that it is installed in.
      type: str
      sample: greeter-system
      returned: always
    bundle:
      description: The bundle that it is made of.
      type: dict
      sample: {name: greeter.v1.0.0, package: greeter, version: 1.0.0}
      returned: always
    revision:
      description: The revision of its extension, see M(fleet.olm.bundle_install).
      type: int
      sample: 1
      returned: always
    changed:
      description: Whether it was changed.
      type: bool
      sample: true
      returned: always
    conditions:
      description: The conditions of the PlatformOperator.
      type: list
      elements: dict
      sample: [{type: Sourced, status: "True", reason: SourceSuccessful, message: greeter.v1.0.0 is found}]
      returned: always
    plan:
      description: What was done, or would be in check mode, as M(fleet.olm.bundle_install) returns it.
      type: list
      elements: dict
      sample: [{action: create, kind: Deployment, name: greeter, namespace: greeter-system}]
      returned: always
    permissions:
      description: What the operator may do, as M(fleet.olm.bundle_install) returns it.
      type: dict
      sample: {all: [may read and list Secrets in all namespaces (service account greeter)]}
      returned: always
removed:
  description: The platform operators that were removed.
  returned: always
  type: list
  elements: str
  sample: []
cluster_operator:
  description: What the ClusterOperator says of all of them, also where the cluster serves none.
  returned: always
  type: dict
  sample:
    name: platform-operators-aggregated
    conditions: [{type: Available, status: "True", reason: AsExpected, message: 1 platform operator is installed}]
    versions: [{name: greetings, version: 1.0.0}]
requests:
  description: How many requests were sent to the API server.
  returned: always
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
from ansible_collections.fleet.olm.plugins.module_utils.manifests.mirrors import MIRROR_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.platform.task import platform_task


def run(call: Call) -> Outcome:
    with Client(Connection.from_options(call.options), dry_run=call.check_mode, connections=CONNECTIONS) as client:
        return platform_task(call, client)


PROGRAM = Program(
    argument_spec={
        **CONNECTION_OPTIONS,
        **REGISTRY_OPTIONS,
        **MIRROR_OPTIONS,
        "operators": {"type": "list", "elements": "raw", "default": []},
        "src": {"type": "path"},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "catalog": {"type": "raw"},
        "selector": {"type": "dict"},
        "bundle_sources": {"type": "dict", "default": {}},
        "upgrade": {"type": "bool", "default": False},
        "accept_permissions": {"type": "str"},
        "prune": {"type": "bool", "default": False},
        "wait": {"type": "bool", "default": True},
        "wait_timeout": {"type": "int", "default": 300},
        "wait_for": {"type": "str", "choices": ["ready", "applied"], "default": "ready"},
    },
    run=run,
    library_error=LIBRARY_ERROR,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
